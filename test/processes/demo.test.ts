import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnNode } from './spawn-cairn.ts';

const repository = join(import.meta.dirname, '..', '..');

/** A copy of the working tree without history, like a fresh clone. */
function copyRepository(folder: string): string {
  for (const name of ['src', 'workers', 'queues', 'test', 'bench', 'package.json']) {
    cpSync(join(repository, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bench', 'demo.ts');
}

async function ready({ child, done }: ReturnType<typeof spawnNode>): Promise<string> {
  const ended = done.then(({ stderr }) => expect.fail(`The demo has ended: ${stderr}`));
  let told = '';
  while (!told.includes('Ready after'))
    told += String((await Promise.race([once(child.stdout, 'data'), ended]))[0]);
  return told;
}

test('the demo stores the lineage of this repository once, serves it, and stops on SIGINT', async () => {
  using folder = temporaryFolder();
  const demo = copyRepository(folder.path);
  const env = { CAIRN_PORT: '0', CAIRN_WORKERS: '1' };
  using first = spawnNode([demo], { env });
  const told = await ready(first);
  const addresses = [...told.matchAll(/^ {2}(?:curl (?:-H '[^']+' )?)?(http\S+)/gm)].map(
    ([, url = '']) => url,
  );
  expect(addresses[0]).toMatch(/\/ui$/);
  expect(addresses).toHaveLength(12);
  const links = new Set<string>();
  for (const url of addresses) {
    const answer = await fetch(url);
    expect({ url, status: answer.status }).toEqual({ url, status: 200 });
    for (const [, path] of (await answer.text()).matchAll(/<a [^>]*href="(\/[^"]*)"/g))
      links.add(new URL(path ?? '', url).href);
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
