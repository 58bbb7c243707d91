import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slsaStatement } from '../builders/provenance.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

const statement = (name: string) =>
  JSON.stringify(slsaStatement({ subject: [{ name, digest: { sha512: name } }] }));
const bad = JSON.stringify(slsaStatement({ subject: [] }));

async function importing(...args: readonly string[]) {
  using home = temporaryFolder();
  return await cairn(['import', ...args], { env: { ...service.env, HOME: home.path } });
}

describe('cairn import of evidence', () => {
  test('says what a file is, and goes on after a bad one', async () => {
    using folder = temporaryFolder();
    const [one, two] = ['one.json', 'two.json'].map((name) => join(folder.path, name)) as [string, string];
    writeFileSync(one, bad);
    writeFileSync(two, statement('two'));
    const { code, stdout, stderr } = await importing(one, two);
    expect([code, stdout], stderr).toEqual([
      1,
      expect.stringMatching(/^in-toto +\d+ statements {2}\S+two\.json\n$/),
    ]);
    expect(stderr).toContain(`${one}: The in-toto statement is not valid at "/subject"`);
    expect(stderr).toContain('1 taken, 1 refused');
  });

  test('searches a folder, leaves out links and other files, and reports bad lines by their number', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'more'));
    symlinkSync('/etc', join(folder.path, 'outside'));
    writeFileSync(join(folder.path, 'README'), 'text');
    const lines = Array.from({ length: 600 }, (_, at) => statement(`line ${at}`));
    lines[550] = bad;
    const file = join(folder.path, 'more', 'all.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n${statement('cut').slice(0, 99)}`);
    const { code, stdout, stderr } = await importing(folder.path, '--json');
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, printed.length]).toEqual([1, 601]);
    const refused = printed
      .filter((one) => 'error' in one)
      .map(({ file, line, code }) => ({ file, line, code }));
    expect(refused).toEqual([
      { file, line: 551, code: 'invalid_evidence' },
      { file, line: 601, code: 'invalid_json' },
    ]);
    expect(stderr).toContain('Left out 2 links and files without JSON or XML');
  });

  test('puts the statements into the graph that is named', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'one.json');
    writeFileSync(path, statement('in a graph'));
    const made = await cairn(['graph', 'create', 'releases'], { env: service.env });
    expect(made.code, made.stderr).toBe(0);
    expect(await importing(path, '--graph', 'releases')).toMatchObject({ code: 0 });
    const { stdout } = await cairn(['runs', '--graph', 'releases', '--json'], { env: service.env });
    expect(JSON.parse(stdout).runs[0].outputs).toMatchObject([{ name: 'in a graph' }]);
  });
});
