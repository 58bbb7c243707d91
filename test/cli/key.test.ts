import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSigner } from '../../src/platform/key-file-signer.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

test.each([
  ['Ed25519', [], /^did:key:z6Mk\w+\n$/],
  ['P-256', ['--p256'], /^did:key:zDn\w+\n$/],
])('cairn key create makes a key on %s for its owner only, and prints its DID', async (_, options, did) => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'key.json');
  const { code, stdout, stderr } = await cairn(['key', 'create', file, ...options]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(did), stderr: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await openSigner(file, { mayCreate: false })).did).toBe(stdout.trim());
});

test('cairn key create --json prints the DID and the file', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'key.json');
  const { stdout } = await cairn(['key', 'create', '--json', file]);
  expect(JSON.parse(stdout)).toEqual({ did: expect.stringMatching(/^did:key:z6Mk/), file });
});

test('cairn key create does not change a file that exists', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'key.json');
  writeFileSync(file, 'a key');
  const { code, stdout, stderr } = await cairn(['key', 'create', file]);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`${file} exists`),
  });
  expect(readFileSync(file, 'utf8')).toBe('a key');
});

test('cairn key create says that a folder is missing, and leaves nothing', async () => {
  using folder = temporaryFolder();
  const { code, stderr } = await cairn(['key', 'create', join(folder.path, 'missing', 'key.json')]);
  expect([code, stderr]).toEqual([
    2,
    `The folder ${join(folder.path, 'missing')} does not exist. Make it first.\n`,
  ]);
  expect(readdirSync(folder.path)).toEqual([]);
});
