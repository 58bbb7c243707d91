import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foundThings } from '../../src/contract/integrity/search.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { ownStatement } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph_id = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
let service: Service;

beforeAll(async () => {
  service = await startService();
  await put('/graph/v1', { graph_id, name: 'Credit model' });
  await name('one', { path: 'src/domain/lineage/trace.js' });
  await name('other', { path: 'docs/trace\u009b2J.md' });
});
afterAll(async () => await service[Symbol.asyncDispose]());

async function put(path: string, body: unknown): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, string>;
}

const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));

async function name(text: string, document: object): Promise<void> {
  const { cid } = await put('/store/v1/jcs', document);
  const members = { subject: urn(text), metadata: `urn:cid:${cid}`, registeredBy: 'did:example:ada' };
  const statement = ownStatement('MetadataRegistration', members);
  await put('/statements/v1', { statement, generate_id: true, graph_id });
}

const search = async (...args: string[]) => await cairn(['search', ...args], { env: service.env });

describe('cairn search', () => {
  test('finds any part of a name, as tables by group', async () => {
    const { code, stdout } = await search('lineage', 'race.j');
    expect(code).toBe(0);
    const [head, row, ...rest] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ARTEFACTS +WHAT +GRAPH +WHEN +ID$/);
    expect(row).toMatch(
      /^src\/domain\/lineage\/trace\.js +file +Credit model +\d{4}-\d\d-\d\d \d\d:\d\d +urn:cid:/,
    );
    expect(rest).toEqual([]);
    expect((await search('credit')).stdout).toMatch(/^GRAPHS .*\nCredit model +graph /);
    expect((await search('trace')).stdout).not.toContain('\u009b');
  });

  test('answers JSON, and says that there is more', async () => {
    const { code, stdout, stderr } = await search('trace', '--json', '--limit', '1');
    expect(code).toBe(0);
    expect(foundThings.parse(JSON.parse(stdout)).artefacts?.items).toHaveLength(1);
    expect(stderr).toBe('There are more artefacts. Write more of the name, or choose a larger --limit.\n');
  });

  test('finds a file by its bytes, and a name that a file has by chance', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'renamed.js'), 'one');
    writeFileSync(join(folder.path, 'trace'), 'unknown');
    const at = { env: service.env, cwd: folder.path };
    const found = await cairn(['search', 'renamed.js'], at);
    expect(found).toMatchObject({ code: 0, stderr: `renamed.js is ${urn('one')}\n` });
    expect(found.stdout).toContain('src/domain/lineage/trace.js');
    expect((await cairn(['search', 'trace'], at)).stdout).toContain('src/domain/lineage/trace.js');
  });

  test('answers no with exit code 1, and refuses what cannot be searched', async () => {
    expect(await search('nothing like it')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Nothing that you may see is found by "nothing like it". Try a shorter part of the name.\n',
    });
    expect((await search(`md5:${'0'.repeat(32)}`)).stderr).toContain('only if CAIRN_BLOB_HASHES names it');
    expect((await search('0'.repeat(64))).stderr).toMatch(/found by "0{64}"\.\n$/);
    expect((await search('sha256:abcd')).stderr).toContain('has 64 hexadecimal digits, and this has 4');
    expect((await search(...Array.from({ length: 1_000 }, () => 'a'))).stderr).toContain('at most 32 words');
    expect((await search('a', '--limit', '0')).code).toBe(2);
    const whole = urn('unknown').slice('urn:cid:'.length);
    for (const text of [whole, whole.toUpperCase(), `ipfs://${whole}`])
      expect((await search(text)).stderr).toMatch(/found by "[^"]+"\.\n$/);
    for (const text of [whole.slice(0, 12), `ipfs://${whole.slice(0, 20)}`, 'bagb6qaq6…pahu2q'])
      expect((await search(text)).stderr).toContain('A CID is found only as a whole');
  });
});
