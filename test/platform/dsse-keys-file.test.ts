import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDsseKeys } from '../../src/platform/dsse-keys-file.ts';
import { newKey } from '../builders/keys.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function keysIn(text: string) {
  using folder = temporaryFolder();
  const file = join(folder.path, 'keys.json');
  writeFileSync(file, text);
  return await readDsseKeys(file);
}

test('the keys of a JWK Set are known by their kid', async () => {
  const keys = (['Ed25519', 'P-256', 'secp256k1', 'P-384'] as const).map((keyType) => newKey(keyType));
  const set = { keys: keys.map(({ jwk }, at) => ({ ...jwk, kid: `key ${at}` })) };
  expect([...(await keysIn(JSON.stringify(set)))]).toEqual(keys.map(({ did }, at) => [`key ${at}`, did]));
  expect((await readDsseKeys(null)).size).toBe(0);
});

test.each([
  ['text', 'hello', /it is not JSON/],
  ['null', 'null', /must be a JWK Set/],
  ['one key', JSON.stringify(newKey().jwk), /must be a JWK Set/],
  ['a key without kid', JSON.stringify({ keys: [newKey().jwk] }), /needs a kid/],
  ['an RSA key', '{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}', /crv "Ed25519" or/],
])('%s is refused by the name of the setting', async (_, content, reason) => {
  await expect(keysIn(content)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(new RegExp(`CAIRN_DSSE_KEYS_FILE.*${reason.source}`)),
  });
});

test('a missing file is refused', async () => {
  await expect(readDsseKeys('/does/not/exist.json')).rejects.toThrow('it does not exist');
});
