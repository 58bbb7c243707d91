import { createPublicKey, generateKeyPairSync, verify, type webcrypto } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import { openSigner } from '../../src/platform/key-file-signer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a key is created once, readable by its owner only, and reused', async () => {
  const file = join(folder, 'below', 'key.json');
  const made = await openSigner(file, { mayCreate: true });
  const again = await openSigner(file, { mayCreate: false });
  expect(made.did).toMatch(/^did:key:z6Mk/);
  expect(again.did).toBe(made.did);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("an operator's key is read but never created", async () => {
  const file = join(folder, 'key.json');
  await expect(openSigner(file, { mayCreate: false })).rejects.toThrow(
    `${file} cannot be used: it does not exist. "cairn key create" makes one.`,
  );
});

test.each([
  ['no JSON', 'hello', 'it is not JSON'],
  ['nothing', '', 'it is not JSON'],
  ['a public key', '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'],
  ['a JWK Set without keys', '{"keys":[]}'],
  [
    'a JWK Set that starts with a public key',
    '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
  ],
  ['a key of another curve', '{"kty":"OKP","crv":"X25519","x":"a","d":"b"}'],
])('%s is refused by the name of its file, and kept as it is', async (_what, text, problem = '') => {
  const file = join(folder, 'key.json');
  await writeFile(file, text);
  await expect(openSigner(file, { mayCreate: true })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${file} cannot be used: ${problem}`),
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a temporary file of an interrupted start does no harm', async () => {
  const file = join(folder, 'key.json');
  await writeFile(`${file}.new`, '{"kty"');
  await openSigner(file, { mayCreate: true });
  expect((await openSigner(file, { mayCreate: false })).did).toMatch(/^did:key:z6Mk/);
});

test.each([
  [0o600, 0],
  [0o640, 0],
  [0o644, 1],
  [0o602, 1],
])('a file with mode %o gets %i warning', async (mode, count) => {
  const file = join(folder, 'key.json');
  await openSigner(file, { mayCreate: true });
  await chmod(file, mode);
  const warnings: string[] = [];
  await openSigner(file, { mayCreate: false, onWarning: (sentence) => warnings.push(sentence) });
  expect(warnings).toEqual(Array(count).fill(expect.stringContaining(`chmod 600 ${file}`)));
});

const bytes = new TextEncoder().encode('a statement');
const ed25519 = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

async function signerOf(content: object) {
  const file = join(folder, 'key.json');
  await writeFile(file, JSON.stringify(content));
  return await openSigner(file, { mayCreate: false });
}

test.each([
  ['Ed25519', ed25519, null],
  ['P-256', p256, 'sha256'],
])('a signature by a key of %s is 64 bytes, and verifies with the public key', async (_type, make, hash) => {
  const { keys, sign } = await signerOf(make());
  const [active] = keys;
  expect(active?.jwk).not.toHaveProperty('d');
  const key = createPublicKey({ key: active?.jwk as webcrypto.JsonWebKey, format: 'jwk' });
  const signature = await sign(bytes);
  expect(signature).toHaveLength(64);
  expect(verify(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
});

test('the first key of a set is active, and the others are listed without their private parts', async () => {
  const [fresh, former, older] = [p256(), ed25519(), ed25519()];
  const { d: _, ...withoutPrivatePart } = older;
  const { did, keys } = await signerOf({ keys: [fresh, former, withoutPrivatePart] });
  const dids = [(await signerOf(fresh)).did, (await signerOf(former)).did];
  expect([did, keys.length]).toEqual([dids[0], 3]);
  expect(keys.map((key) => key.did).slice(0, 2)).toEqual(dids);
  expect(parseDidKey(did).keyType).toBe('P-256');
  expect(JSON.stringify(keys)).not.toContain('"d"');
});

test('the DID of a P-256 key matches the official vectors', async () => {
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
  };
  const { keys } = await signerOf({ keys: [ed25519(), jwk] });
  expect(keys[1]?.did).toBe('did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv');
});
