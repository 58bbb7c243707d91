import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send, useServer, useService } from '../http/service.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const service = useService();
const server = useServer(service);

test('a person has the name that git has, and then the one that they choose, with what they record', async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  writeFileSync(join(cwd, '.gitconfig'), '[user]\n\tname = Ada Lovelace\n');
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, CAIRN_URL: server.url };
  const run = async (...args: string[]) => {
    const answer = await cairn(args, { env, cwd });
    expect(answer.code, answer.stderr).toBe(0);
    return answer;
  };
  const made = await run('init', 'loans', '--json');
  expect(made.stderr).toContain('Others see you there as "Ada Lovelace"');
  const { did } = JSON.parse(made.stdout);
  const nameNow = async () => (await send(service, 'POST', '/names/v1', { ids: [did] })).json.names[did];
  expect(await nameNow()).toBeUndefined();
  const record = (value: string) =>
    run('record', '--name', 'make', '--output', 'out', '--', 'sh', '-c', `echo ${value} > out`);
  await record('1');
  expect(await nameNow()).toBe('Ada Lovelace');
  expect((await run('key', 'name', 'Ada, Countess')).stdout).toBe(`${did}  Ada, Countess\n`);
  expect(await nameNow()).toBe('Ada, Countess');
  await record('2');
  expect(await nameNow()).toBe('Ada, Countess');
  expect(JSON.parse((await run('key', 'name', '--json')).stdout)).toEqual({ did, name: 'Ada, Countess' });
});

test.each([
  ['', 'The name is empty.'],
  [' \n\t', 'The name is empty.'],
  [`<b>${'x'.repeat(10_000)}</b>`, 'The name has 10007 characters, and the limit is 200.'],
])('refuses a name that nobody can read: %.20s', async (name, sentence) => {
  using folder = temporaryFolder();
  const answer = await cairn(['key', 'name', name], { env: { HOME: folder.path } });
  expect([answer.code, answer.stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

test('a key without a name says how to give it one', async () => {
  using folder = temporaryFolder();
  const answer = await cairn(['key', 'name'], { env: { HOME: folder.path } });
  expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining('has no name yet')]);
});
