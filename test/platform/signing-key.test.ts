import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningKey } from '../../src/platform/signing-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a key is made once, for its owner alone, and is the same from then on', async () => {
  const file = join(folder, 'below', 'key.json');
  const made = await openSigningKey(file, { mayCreate: true });
  const again = await openSigningKey(file, { mayCreate: false });
  expect(made.did).toMatch(/^did:key:z6Mk/);
  expect(again.did).toBe(made.did);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a key of an operator is read, never made', async () => {
  const file = join(folder, 'key.json');
  await expect(openSigningKey(file, { mayCreate: false })).rejects.toThrow(file);
});

test.each([
  ['no JSON', 'hello'],
  ['nothing', ''],
  ['a public key', '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'],
  ['a key of another curve', '{"kty":"OKP","crv":"X25519","x":"a","d":"b"}'],
])('%s is refused by the name of its file, and kept as it is', async (_what, text) => {
  const file = join(folder, 'key.json');
  await writeFile(file, text);
  await expect(openSigningKey(file, { mayCreate: true })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(file),
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('what an interrupted start left behind does no harm', async () => {
  const file = join(folder, 'key.json');
  await writeFile(`${file}.new`, '{"kty"');
  await openSigningKey(file, { mayCreate: true });
  expect((await openSigningKey(file, { mayCreate: false })).did).toMatch(/^did:key:z6Mk/);
});
