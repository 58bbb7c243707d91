import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { didStatement } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
/** Without a service. */
const offline = { CAIRN_URL: 'http://127.0.0.1:9' };
let service: Service;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  await put('/graph/v1', { graph_id: graph, name: 'cli' });
  const statements = Array.from({ length: 5 }, (_, index) => didStatement(`statement${index}`));
  await put('/statements/v1/batch', { statements, generate_id: true, graph_id: graph });
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function put(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
}

const notWritten = join(tmpdir(), `cairn-${randomUUID()}`);
const file = (name: string) => join(folder.path, name);

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

describe('export, verify and import', () => {
  test.each(['evidence.json', 'evidence.car'])('work on %s', async (name) => {
    const exported = await cairn(['export', graph, '-o', file(name)], { env: service.env });
    expect(exported.code, exported.stderr).toBe(0);
    expect(exported.stdout).toContain(`${file(name)}  ${readFileSync(file(name)).length} bytes`);
    expect(existsSync(`${file(name)}.part`)).toBe(false);

    const verified = await cairn(['verify', file(name)], { env: offline });
    expect(verified.stdout, verified.stderr).toContain(`${file(name)}: unaltered;`);
    expect(verified.stdout).toContain('5 statements, ');
    expect(verified.code).toBe(0);

    await using other = await startService();
    const imported = await cairn(['import', file(name), '--graph', graph, '--name', 'audit'], {
      env: other.env,
    });
    expect(imported.code, imported.stderr).toBe(0);
    expect(imported.stderr).toContain(`After an interruption, repeat it with --graph ${graph}.`);
    expect(imported.stdout).toContain(`graph       ${graph}\nstatements  5 stored, 0 known\n`);
    const again = await cairn(['import', file(name), '--graph', graph, '--json'], { env: other.env });
    expect(JSON.parse(again.stdout)).toMatchObject({ graph_id: graph, statements: { stored: 0, known: 5 } });

    const back = file(`again.${name.split('.')[1]}`);
    await cairn(['export', graph, '-o', back], { env: other.env });
    expect(readFileSync(back).equals(readFileSync(file(name)))).toBe(true);
  });

  test('a changed manifest fails with the place of the change', async () => {
    await cairn(['export', '--all', '-o', file('whole.json')], { env: service.env });
    const text = readFileSync(file('whole.json'), 'utf8');
    writeFileSync(file('changed.json'), text.replace('statement0', 'statement9'));
    const { code, stdout, stderr } = await cairn(['verify', file('changed.json')], { env: offline });
    expect([code, lastLine(stderr)]).toEqual([1, 'Verification failed.']);
    expect(stdout).toMatch(/^WRONG at \/statements\/urn:cid:bagb6qaq6e\w+\/@id: /);
    expect(stdout).toContain('FAILED, 1 problem\n');
    const json = await cairn(['verify', '--json', file('changed.json')], { env: offline });
    const [fault, { summary }] = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(fault).toMatchObject({ kind: 'fault', code: 'id_mismatch' });
    expect(summary).toMatchObject({ ok: false, statements: 4, faults: 1 });
    const imported = await cairn(['import', file('changed.json')], { env: service.env });
    expect([imported.code, imported.stdout]).toEqual([1, '']);
    expect(imported.stderr).toContain('/statements/urn:cid:');
  });

  test('a CAR fails if any byte is damaged, even in its header', async () => {
    await cairn(['export', graph, '-o', file('whole.car')], { env: service.env });
    const bytes = readFileSync(file('whole.car'));
    for (const at of [0, 60, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x11;
      writeFileSync(file('damaged.car'), changed);
      const run = await cairn(['verify', file('damaged.car')], { env: offline });
      expect([run.code, lastLine(run.stderr)], `byte ${at}: ${run.stdout}`).toEqual([
        1,
        'Verification failed.',
      ]);
    }
  });

  test('a manifest is recognized by its parts in any order, and a damaged one never passes', async () => {
    await cairn(['export', graph, '-o', file('plain.json')], { env: service.env });
    const text = readFileSync(file('plain.json'), 'utf8');
    writeFileSync(file('later.json'), text.replace('{', `{${' '.repeat(5_000)}"tool": {"name": "other"},`));
    const later = await cairn(['verify', file('later.json')], { env: offline });
    expect([later.code, later.stdout]).toEqual([0, expect.stringContaining('later.json: unaltered;')]);
    writeFileSync(file('cut.json'), text.slice(0, -1));
    const cut = await cairn(['verify', file('cut.json')], { env: offline });
    expect(cut.stdout).toMatch(/^WRONG: The JSON is broken /);
    for (const damaged of [
      text.replace('"version"', '"versiom"'),
      text.slice(0, -1),
      text.slice(1),
      `\ufeff${text}`,
    ]) {
      writeFileSync(file('damaged.json'), damaged);
      const run = await cairn(['verify', file('damaged.json')], { env: offline });
      expect([run.code, run.stdout], run.stderr).toEqual([1, expect.not.stringContaining('unaltered')]);
    }
  });

  test.each([
    [
      'statement.json',
      JSON.stringify(didStatement('one')),
      'looks like a statement. Store it with "cairn ingest',
    ],
    [
      'lines.ndjson',
      `${JSON.stringify(didStatement('one'))}\n${JSON.stringify(didStatement('two'))}\n`,
      'looks like a statement. Store it with "cairn ingest',
    ],
    ['list.json', '[1, 2]', 'is a JSON list. Send its elements, one per line'],
    ['table.csv', 'a,b\n1,2\n', 'is neither JSON, nor XML, nor a dvc.lock, nor a CAR'],
    ['app.spdx', 'SPDXVersion: SPDX-2.3\n', 'is SPDX as tags and values. Write it as JSON'],
    ['packed.gz', Buffer.from([0x1f, 0x8b, 8, 0]), 'looks compressed (gzip). Decompress it first'],
    ['empty', '', 'is empty'],
  ])('import says what %s looks like', async (name, content, words) => {
    writeFileSync(file(name), content);
    const run = await cairn(['import', file(name)], { env: offline });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
  });

  test('untrusted text of a file is escaped for the terminal', async () => {
    const commands = '\u001b[2J\u009b31m\u202e';
    const url = `https://contexts.example/${commands}`;
    const contexts = `{${JSON.stringify(url)}:{"@context":{}}}`;
    const texts = [
      `{"version":"${commands}","statements":{}}`,
      `{"version":"3","contexts":${contexts},"statements":{"${JSON.stringify(commands).slice(1, -1)}":{}}}`,
      `{"version":"3","contexts":${contexts},"statements":{},"blobs":{${JSON.stringify(commands)}:""}}`,
      `{"version":"3","contexts":${contexts},"statements":{}}`,
    ];
    for (const text of texts) {
      writeFileSync(file('hostile.json'), text);
      for (const args of [['verify'], ['verify', '--json'], ['import'], ['import', '--json']]) {
        const run = await cairn([...args, file('hostile.json')], { env: service.env });
        expect(run.stdout + run.stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
        expect(run.stdout + run.stderr).toContain('\\u');
      }
    }
  });

  test('an export to standard output prints only the manifest', async () => {
    const { code, stdout } = await cairn(['export', graph, '-o', '-', '--no-contexts', '--no-blobs'], {
      env: service.env,
    });
    expect([code, Object.keys(JSON.parse(stdout).statements).length]).toEqual([0, 5]);
  });

  test('an export does not replace a pipe', async () => {
    execFileSync('mkfifo', [file('pipe')]);
    const run = await cairn(['export', graph, '-o', file('pipe')], { env: service.env });
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is not a regular file'),
    });
    expect(lstatSync(file('pipe')).isFIFO()).toBe(true);
  });

  test.each([
    [['export', '-o', notWritten], 2, 'Name the graphs'],
    [['export', graph, '--all', '-o', notWritten], 2, 'Name the graphs'],
    [['export', graph], 2, '--output'],
    [['export', 'nonsense', '-o', notWritten], 1, 'No graph is called "nonsense"'],
    [['export', '0199b6f2-6f0e-7cc3-9d5f-000000000000', '-o', notWritten], 1, 'There is no graph'],
    [['import', '/not-there.json'], 2, 'does not exist'],
  ])('cairn %j is refused', async (args, code, reason) => {
    const run = await cairn(args, { env: service.env });
    expect(run.code, run.stderr).toBe(code);
    expect(run.stderr).toContain(reason);
    expect(existsSync(notWritten)).toBe(false);
  });
});
