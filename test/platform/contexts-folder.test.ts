import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContextsFolder } from '../../src/platform/contexts-folder.ts';

const cid = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-contexts-'));
  for (const path of [
    `in/cid/${cid}`,
    'in/https/example.org/contexts/v1',
    'in/https/example.org/a.jsonld',
    'in/private/x.json',
    'secret',
  ]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
});
afterAll(() => rm(folder, { recursive: true }));

test('documents are found by URL and trusted by name', async () => {
  const source = new ContextsFolder(join(folder, 'in'));
  expect(await source.find(`urn:cid:${cid}`)).toBe(`in/cid/${cid}`);
  expect(await source.find('https://example.org/contexts/v1')).toBe('in/https/example.org/contexts/v1');
  expect(await source.find('https://EXAMPLE.org/a.jsonld')).toBe('in/https/example.org/a.jsonld');
});

test.each([
  'https://example.org/../../secret',
  'https://example.org/contexts/../../../../secret',
  'https://../secret',
  'https://../private/x.json',
  'https://./example.org/a.jsonld',
  'https://example.org/contexts',
  'https://example.org/contexts/v1/below',
  'https://example.org/contexts/v1?query',
  'http://example.org/contexts/v1',
  `urn:cid:../${cid}`,
  'urn:cid:',
  'file:///etc/passwd',
  `https://example.org/${'x'.repeat(5_000)}`,
])('nothing is found for %s', async (url) => {
  expect(await new ContextsFolder(join(folder, 'in')).find(url)).toBeUndefined();
});

test('all documents are listed by URL, and a missing folder has none', async () => {
  expect([...(await new ContextsFolder(join(folder, 'in')).all()).keys()].sort()).toEqual([
    'https://example.org/a.jsonld',
    'https://example.org/contexts/v1',
    `urn:cid:${cid}`,
  ]);
  expect(await new ContextsFolder(join(folder, 'none')).all()).toEqual(new Map());
});
