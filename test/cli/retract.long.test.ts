import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { blobUrn } from '../builders/statements.ts';
import { cairn, startService, temporaryFolder } from './run-cairn.ts';

const service = await startService();
const folder = temporaryFolder();
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
const env = { ...service.env, XDG_CONFIG_HOME: folder.path };
const run = async (...args: string[]) => await cairn(args, { env, cwd: folder.path });

async function newKey(name: string): Promise<{ file: string; did: string }> {
  const file = join(folder.path, name);
  return { file, did: (await run('key', 'create', file)).stdout.trim() };
}
const [author, other] = [await newKey('author.json'), await newKey('other.json')];

async function ingest(statement: object): Promise<string> {
  const file = join(folder.path, 'statement.ndjson');
  const timestamp = '2026-01-31T12:00:00Z';
  writeFileSync(file, JSON.stringify({ '@context': ownContextUrl, timestamp, ...statement }));
  return (await signedIds(file, '--restart'))[0] ?? '';
}

/** Stores the statements of a file, signed by the author. @returns their ids. */
async function signedIds(file: string, ...more: string[]): Promise<readonly string[]> {
  const signing = ['--generate-id', '-v', '--sign', author.file];
  const { stdout, code, stderr } = await run('ingest', file, ...signing, ...more);
  expect(code, stderr).toBe(0);
  return stdout.match(/urn:cid:\S+/g) ?? [];
}

describe('cairn retract', () => {
  test('withdraws a statement, which lineage then leaves out', async () => {
    const [input, output] = [blobUrn('in'), blobUrn('out')];
    const id = await ingest({
      '@type': 'ComputationRegistration',
      registeredBy: author.did,
      operatedBy: author.did,
      input,
      output,
    });
    const { code, stdout, stderr } = await run(
      'retract',
      id,
      '--reason',
      'Wrong labels.',
      '--sign',
      author.file,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${id} is retracted.\n` });
    expect(stdout).toMatch(/^urn:cid:bagb6\S+\n$/);
    expect((await run('lineage', output)).stdout).toContain(
      'Left out: 1 retracted computation. --include-retracted shows them.',
    );
    const all = (await run('lineage', output, '--include-retracted', '--full')).stdout;
    expect(all).toContain('(retracted)');
    expect(all).toContain(input);
    const again = await run('retract', id, '--sign', author.file, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      statement_id: id,
      retraction: expect.stringMatching(/^urn:cid:/),
      trust: { state: 'retracted', reason: 'Wrong labels.', by: author.did },
    });
  });

  test('refuses what is not a statement, and says when a statement does not exist', async () => {
    const wrong = await run('retract', blobUrn('in'), '--sign', author.file);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('is not the id of a statement'),
    });
    const missing = await run('retract', 'bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc');
    expect(missing.code).toBe(1);
    const noKey = await run(
      'retract',
      'bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc',
      '--sign',
      'no.json',
    );
    expect(noKey.code).toBeGreaterThan(0);
  });

  test('in a manifest counts with its signature, also when it is verified offline', async () => {
    const graph = (await run('graph', 'create', 'retractions')).stdout.trim().split(/\s/)[0] ?? '';
    const statement = (data: string, registeredBy = author.did) => ({
      '@context': ownContextUrl,
      '@type': 'DataRegistration',
      registeredBy,
      timestamp: '2026-01-31T12:00:00Z',
      data: blobUrn(data),
    });
    const file = join(folder.path, 'some.ndjson');
    writeFileSync(
      file,
      [statement('signed'), statement('claimed')].map((one) => JSON.stringify(one)).join('\n'),
    );
    const [first = '', second = ''] = await signedIds(file, '--graph', graph);
    expect((await run('retract', first, '--sign', author.file, '--graph', graph)).code).toBe(0);
    await run('retract', second, '--sign', other.file, '--graph', graph, '--reason', 'I say so.');
    const manifest = join(folder.path, 'evidence.json');
    await run('export', graph, '-o', manifest);
    const offline = await cairn(['verify', manifest], { env: { CAIRN_URL: 'http://127.0.0.1:9' } });
    expect(offline.code, offline.stderr).toBe(0);
    expect(offline.stdout).toContain(`retracted by its registrant ${author.did}: ${first}`);
    expect(offline.stdout).toContain(`claims to be retracted by ${other.did}: ${second}. I say so.`);
    expect(offline.stdout).toContain('1 retracted');
    const report = join(folder.path, 'report.html');
    await cairn(['report', manifest, '-o', report], { env: { CAIRN_URL: 'http://127.0.0.1:9' } });
  });
});
