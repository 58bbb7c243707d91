import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnNode } from './spawn-cairn.ts';

const tokenFile = join(import.meta.dirname, '..', '..', 'src', 'cli', 'client', 'token-file.ts');

test('concurrent commands that store and remove tokens lose none', async () => {
  using folder = temporaryFolder();
  const program = `
    const [, name, path] = process.argv;
    const { TokenFile } = await import(${JSON.stringify(tokenFile)});
    const fileOf = (url) => new TokenFile(path, url, process);
    const login = { issuer: 'https://idp.example', client_id: 'cli', id_token: name, access_token: name };
    fileOf('http://forgotten.example/' + name).store(login);
    for (let n = 0; n < 25; n += 1) fileOf('http://' + name + '.example/' + n).store(login);
    for (let n = 0; n < 25; n += 1) fileOf('http://shared.example').store(login);
    fileOf('http://forgotten.example/' + name).remove();`;
  const names = ['ada', 'bob', 'cyd', 'dan'];
  const args = (name: string) => ['--input-type=module', '-e', program, name, folder.path];
  const runs = names.map((name) => spawnNode(args(name), {}));
  for (const { done } of runs) expect(await done).toMatchObject({ code: 0, stderr: '' });
  const kept = names.flatMap((name) => Array.from({ length: 25 }, (_, n) => `http://${name}.example/${n}`));
  const files = [...kept, 'http://shared.example'].map((url) => `${encodeURIComponent(url)}.json`);
  const tokens = join(folder.path, 'tokens');
  expect(readdirSync(tokens).toSorted()).toEqual(files.toSorted());
  for (const name of files) {
    const { id_token } = JSON.parse(readFileSync(join(tokens, name), 'utf8'));
    expect(names).toContain(id_token);
    expect(statSync(join(tokens, name)).mode & 0o077, name).toBe(0);
  }
});
