import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnNode } from './spawn-cairn.ts';

const tokenFile = join(import.meta.dirname, '..', '..', 'src', 'cli', 'client', 'token-file.ts');

test('commands that keep and forget tokens at the same time lose none', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'cairn', 'tokens.json');
  const program = `
    const [, name, path] = process.argv;
    const { TokenFile } = await import(${JSON.stringify(tokenFile)});
    const file = new TokenFile(path, (sentence) => process.stderr.write(sentence));
    const login = { issuer: 'https://idp.example', client_id: 'cli', id_token: name, access_token: name };
    file.keep('http://forgotten.example/' + name, login);
    for (let n = 0; n < 25; n += 1) file.keep('http://' + name + '.example/' + n, login);
    file.remove('http://forgotten.example/' + name);`;
  const names = ['ada', 'bob', 'cyd', 'dan'];
  const runs = names.map((name) => spawnNode(['--input-type=module', '-e', program, name, path], {}));
  for (const { done } of runs) expect(await done).toMatchObject({ code: 0, stderr: '' });
  const { services } = JSON.parse(readFileSync(path, 'utf8'));
  const kept = names.flatMap((name) => Array.from({ length: 25 }, (_, n) => `http://${name}.example/${n}`));
  expect(Object.keys(services).toSorted()).toEqual(kept.toSorted());
  for (const name of readdirSync(join(folder.path, 'cairn')))
    expect(statSync(join(folder.path, 'cairn', name)).mode & 0o077, name).toBe(0);
});
