import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Visitor } from '../../bench/access/visitor.ts';
import { houses, project } from '../../bench/demo/graphs.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnNode } from './spawn-cairn.ts';

const repository = join(import.meta.dirname, '..', '..');

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** In a copy of the working tree without history, like a fresh clone, and without tests, of which a demo needs no lineage. */
const demo = join(folder.path, 'bench', 'demo.ts');
for (const name of ['src', 'workers', 'queues', 'bench', 'package.json'])
  cpSync(join(repository, name), join(folder.path, name), { recursive: true, preserveTimestamps: true });
symlinkSync(join(repository, 'node_modules'), join(folder.path, 'node_modules'));

async function ready({ child, done }: ReturnType<typeof spawnNode>): Promise<string> {
  const ended = done.then(({ stderr }) => expect.fail(`The demo has ended: ${stderr}`));
  let told = '';
  while (!told.includes('Ready after'))
    told += String((await Promise.race([once(child.stdout, 'data'), ended]))[0]);
  return told;
}

test('the demo stores the lineage of this repository once, serves it, and stops on SIGINT', async () => {
  const env = { CAIRN_PORT: '0', CAIRN_WORKERS: '1' };
  using first = spawnNode([demo], { env });
  const told = await ready(first);
  const addresses = [...told.matchAll(/^ {2}(?:curl (?:-H '[^']+' )?)?(http\S+)/gm)].map(
    ([, url = '']) => url,
  );
  expect(addresses[0]).toMatch(/\/ui$/);
  expect(addresses).toHaveLength(13);
  const links = new Set<string>();
  for (const url of addresses) {
    const answer = await fetch(url);
    expect({ url, status: answer.status }).toEqual({ url, status: 200 });
    for (const [, path] of (await answer.text()).matchAll(/<a [^>]*href="(\/[^"]*)"/g))
      links.add(new URL((path ?? '').replaceAll('&amp;', '&'), url).href);
  }
  expect([...links].some((url) => url.includes('/exchanges/'))).toBe(true);
  for (const url of links) expect({ url, status: (await fetch(url)).status }).toEqual({ url, status: 200 });
  const [, url = '', words = ''] = /CAIRN_URL=(\S+) npm run --silent cairn -- (.*)/.exec(told) ?? [];
  using verify = spawnNode([join(folder.path, 'src', 'main.ts'), ...words.split(' ')], {
    env: { CAIRN_URL: url },
  });
  expect(await verify.done).toMatchObject({ code: 0 });
  first.child.kill('SIGINT');
  expect((await first.done).code).toBe(0);
  using second = spawnNode([demo], { env });
  expect(await ready(second)).toContain('nothing new');
  second.child.kill('SIGINT');
  expect((await second.done).code).toBe(0);
});

test('with --sign-in the demo has its own provider, and each person signs in with the printed password', async () => {
  using running = spawnNode([demo, '--sign-in'], { env: { CAIRN_PORT: '0', CAIRN_WORKERS: '1' } });
  const told = await ready(running);
  const [, url = ''] = /^Sign in at (\S+)\/ui /m.exec(told) ?? [];
  const people = new Map(
    [...told.matchAll(/^ {2}(\w+) +([0-9a-f]{12}) /gm)].map(([, who = '', password = '']) => [who, password]),
  );
  expect([...people.keys()]).toEqual(['ada', 'ben', 'cleo', 'dora']);
  expect((await fetch(`${url}/graph/v1`)).status).toBe(401);
  const browser = new Visitor();
  const fields = (login: string) => ({ login, password: people.get(login) ?? '' });
  const start = async () => await browser.open(`${url}/v1/auth/login?provider=idp`);
  const provider = (await start()).url;
  const loginPage = async () => await browser.open(provider, {}, [provider.origin]);
  expect(
    (await browser.submit((await loginPage()).forms[0], { ...fields('ada'), login: 'ben' })).text,
  ).toContain('There is no such account');
  // The same browser can sign in as somebody else without signing out at the provider.
  const graphs = [project, houses].map(({ graph_id: id }) => `${url}/ui/graph/${id}`);
  for (const [login, role, shown] of [
    ['ben', 'member', [200, 404]],
    ['cleo', 'member', [404, 200]],
    ['ada', 'admin', [200, 200]],
    ['dora', 'member', [200, 200]],
  ] as const) {
    const page = await browser.open((await start()).url, {}, [provider.origin]);
    const back = await browser.submit(page.forms[0], fields(login));
    await browser.open(back.url);
    const me = await browser.open(`${url}/v1/me`);
    expect(JSON.parse(me.text)).toMatchObject({ subject: login, role });
    const statuses = [];
    for (const graph of graphs) statuses.push((await browser.open(graph)).status);
    expect([login, statuses]).toEqual([login, shown]);
  }
  running.child.kill('SIGINT');
  expect((await running.done).code).toBe(0);
});
