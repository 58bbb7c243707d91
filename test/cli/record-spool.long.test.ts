import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGate } from './gate.ts';
import { getJson, urnOf, useProject } from './record-project.ts';
import { cairn, type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

function dropLastLine(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\n]*\n$/, ''));
}

function makePipe(path: string): void {
  rmSync(path);
  execFileSync('mkfifo', [path]);
}

describe('the spool of cairn record', () => {
  test.each<[string, (recording: string) => void]>([
    ['its marker is gone', (at) => rmSync(join(at, 'record.json'))],
    ['its marker is cut', (at) => truncateSync(join(at, 'record.json'), 20)],
    ['its statements are gone', (at) => rmSync(join(at, 'statements.ndjson'))],
    ['it has no statements', (at) => truncateSync(join(at, 'statements.ndjson'), 0)],
    ['its last statement is gone', (at) => dropLastLine(join(at, 'statements.ndjson'))],
    ['its files are gone', (at) => rmSync(join(at, 'blobs'), { recursive: true })],
    ['a file is gone', (at) => rmSync(join(at, 'blobs', String(readdirSync(join(at, 'blobs'))[0])))],
    ['a file is a pipe', (at) => makePipe(join(at, 'blobs', String(readdirSync(join(at, 'blobs'))[0])))],
    ['its statements are a pipe', (at) => makePipe(join(at, 'statements.ndjson'))],
    ['a file has changed', (at) => writeFileSync(join(at, 'blobs', urnOf('first\n').slice(8)), 'other')],
  ])('ingest keeps a spooled recording if %s, says so, and sends the others', async (_what, damage) => {
    using project = useProject(service);
    for (const name of ['first', 'second']) {
      const spooled = await project.record(['--output', name, '--spool', 'unsent'], `echo ${name} > ${name}`);
      expect(spooled.code).toBe(0);
    }
    const spool = project.file('unsent');
    const [first = ''] = readdirSync(spool).toSorted();
    damage(join(spool, first));
    const run = await project.run(['ingest', spool, '--delete-sent']);
    expect(run).toMatchObject({ code: 1, stdout: 'test: 5 statements stored\n' });
    expect(run.stderr).toContain(`${first} was not sent: `);
    expect(run.stderr).not.toContain('inside cairn');
    expect(readdirSync(spool)).toEqual([first]);
  });

  test('another ingestion of the spool may delete what both send', async () => {
    using project = useProject(service);
    const spool = project.file('unsent');
    await project.record(['--output', 'x', '--spool', spool], 'echo both > x');
    const [only = ''] = readdirSync(spool);
    await using gate = await openGate(service.url, ({ path }) => {
      if (path.endsWith('/batch')) rmSync(join(spool, only), { recursive: true, force: true });
      return 'pass';
    });
    const env = { ...project.env, CAIRN_URL: gate.url };
    const run = await cairn(['ingest', spool, '--delete-sent'], { env });
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('was deleted by another')]);
  });

  test('--spool is checked before the command runs', async () => {
    using project = useProject(service);
    const spool = project.file('raw.csv/unsent');
    const run = await project.record(['--output', 'ran', '--spool', spool], 'echo x > ran');
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`cannot write to ${spool}`) });
    expect(existsSync(project.file('ran'))).toBe(false);
  });

  test('a recording that cannot be kept leaves nothing in the spool, and says so', async () => {
    using project = useProject(service);
    const script = 'echo 1 > made; chmod 000 unsent; rmdir unsent; echo > unsent';
    const run = await project.record(['--output', 'made', '--spool', 'unsent'], script);
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The run cannot be kept in .*unsent: .*\. Nothing was recorded\.\n$/),
    });
    expect(readdirSync(project.file('.')).toSorted()).toEqual(['made', 'raw.csv', 'unsent']);
  });

  test('ingest sends one recording of a spool, and says that a spool is empty', async () => {
    using project = useProject(service);
    await project.record(['--output', 'x', '--spool', 'unsent'], 'echo one > x');
    const spool = project.file('unsent');
    const [only = ''] = readdirSync(spool);
    writeFileSync(join(spool, only, 'blobs', '.DS_Store'), '');
    const sent = await project.run(['ingest', join(spool, only), '--delete-sent']);
    expect(sent, sent.stderr).toMatchObject({ code: 0, stdout: 'test: 5 statements stored\n' });
    const empty = await project.run(['ingest', spool]);
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: `${spool} has no recordings.\n` });
  });

  test('--spool works without a service, also for signed statements', async () => {
    using project = useProject(service);
    const did = (await project.run(['key', 'create', project.file('key.json')])).stdout.trim();
    const options = ['--output', 'made.bin', '--sign', 'key.json', '--spool', 'unsent', '--json'];
    const offline = await cairn(
      ['record', '--name', 'signed', '--input', 'raw.csv', ...options, '--', 'cp', 'raw.csv', 'made.bin'],
      { env: { ...project.env, CAIRN_URL: 'http://127.0.0.1:9' }, cwd: join(project.file('raw.csv'), '..') },
    );
    expect(offline.code, offline.stderr).toBe(0);
    const { computation, spooled } = JSON.parse(offline.stdout);
    expect(readdirSync(spooled).toSorted()).toEqual(['blobs', 'record.json', 'statements.ndjson']);
    expect((await project.run(['ingest', project.file('unsent')])).code).toBe(0);
    const found = await getJson(service, `/statements/v1?registered_by=${did}&type=ComputationRegistration`);
    expect(found.statements).toMatchObject([
      { statement: { '@id': computation }, trust: { state: 'signed', by: did, valid: true } },
    ]);
  });
});
