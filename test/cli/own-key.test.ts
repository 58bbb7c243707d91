import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readClientSettings } from '../../src/cli/client/client-settings.ts';
import { ownKey } from '../../src/cli/client/own-key.ts';
import { temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';

test('makes the key of a person once, also for several commands at once', async () => {
  using folder = temporaryFolder();
  const stderr = new PassThrough();
  const io = { env: { XDG_CONFIG_HOME: folder.path }, stderr };
  const keys = await Promise.all(Array.from({ length: 5 }, () => ownKey(io)));
  expect(new Set([...keys, await ownKey(io)].map(({ did }) => did)).size).toBe(1);
  expect(statSync(join(folder.path, 'cairn', 'key.json')).mode & 0o777).toBe(0o600);
  expect(String(stderr.read()).match(/Made your key/g)).toHaveLength(1);
});

test('finds cairn.json in a folder above, and never sends a token for another service to its address', () => {
  using folder = temporaryFolder();
  const cwd = join(folder.path, 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  const read = (env = {}) => readClientSettings({ env, cwd, stderr: new PassThrough() });
  expect(read().folderFile).toBeUndefined();
  writeFileSync(join(folder.path, 'cairn.json'), JSON.stringify({ graph, url: 'https://cairn.example/' }));
  expect(read()).toMatchObject({ url: 'https://cairn.example', folderFile: { graph, folder: folder.path } });
  expect(read({ CAIRN_URL: 'http://127.0.0.1:9', CAIRN_TOKEN: 't' }).url).toBe('http://127.0.0.1:9');
  expect(() => read({ CAIRN_TOKEN: 't' })).toThrow('set CAIRN_URL=https://cairn.example');
  writeFileSync(join(folder.path, 'a', 'cairn.json'), '{"graph": "mine"}');
  expect(() => read()).toThrow('"graph" must be the UUID of a graph');
});
