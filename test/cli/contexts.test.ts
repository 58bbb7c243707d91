import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

const contextOf = (term: string) =>
  JSON.stringify({ '@context': { [term]: `https://example.com/${term}` } }, null, 2);
const urlOf = (text: string) => `urn:cid:${cidOf(codecs.raw, text).text}`;

async function store(context: string): Promise<number> {
  const statement = { '@context': context, '@type': 'https://example.com/Note', colour: 'green' };
  const body = JSON.stringify({ statement, generate_id: true });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${service.url}/statements/v1`, { method: 'PUT', headers, body })).status;
}

describe('cairn contexts add', () => {
  test('teaches a running service a context', async () => {
    using folder = temporaryFolder();
    const text = contextOf('colour');
    const path = join(folder.path, 'colours.jsonld');
    writeFileSync(path, text);
    expect(await store(urlOf(text))).toBe(400);
    const { code, stdout } = await cairn(['contexts', 'add', path], { env: service.env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${urlOf(text)}  ${path}\n` });
    expect(await store(urlOf(text))).toBe(201);
  });

  test('takes folders and manifests, and says what cannot be added', async () => {
    using folder = temporaryFolder();
    const [own, carried, other] = ['a', 'b', 'c'].map(contextOf) as [string, string, string];
    const https = 'https://example.com/context';
    mkdirSync(join(folder.path, 'more'));
    writeFileSync(join(folder.path, 'more', 'own.jsonld'), own);
    writeFileSync(join(folder.path, 'notes.txt'), 'not a context');
    const contexts = `{"${urlOf(carried)}":${carried},"${urlOf(other)}":${JSON.stringify(JSON.parse(other))},"${https}":${own}}`;
    writeFileSync(
      join(folder.path, 'manifest.json'),
      `{"version":"3","contexts":${contexts},"statements":{}}`,
    );
    const { code, stdout, stderr } = await cairn(['contexts', 'add', folder.path], { env: service.env });
    expect(code).toBe(1);
    expect(
      stdout
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['', urlOf(own), urlOf(carried)].sort());
    expect(stderr).toContain(`The bytes of ${urlOf(other)} have another CID.`);
    expect(stderr).toContain(`${https} is no CID.`);
    expect(stderr).toMatch(/notes\.txt: .*is not JSON/);
    expect(stderr).not.toContain('urn:x:');
  });

  test('says that a folder is empty', async () => {
    using folder = temporaryFolder();
    expect(await cairn(['contexts', 'add', folder.path], { env: service.env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no files'),
    });
  });

  test('refuses a JSON document without contexts, and a file that does not exist', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'data.json');
    writeFileSync(path, '{"a":1}');
    expect(await cairn(['contexts', 'add', path], { env: service.env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('neither a context document'),
    });
    expect(await cairn(['contexts', 'add', `${path}x`], { env: service.env })).toMatchObject({ code: 2 });
  });
});
