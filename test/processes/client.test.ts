import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { Cairn } from '../../src/client/cairn.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnNode, spawnService } from './spawn-cairn.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');
const page = readFileSync(join(repository, 'docs/client.md'), 'utf8');
/** One program, because later examples go on with what earlier ones have made. */
const examples = Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code).join('\n');

test('the examples of the page compile, and run one after the other', async () => {
  await using service = await spawnService();
  using folder = temporaryFolder();
  const cwd = folder.path;
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(repository, join(cwd, 'node_modules/cairn'));
  symlinkSync(join(repository, 'node_modules/@types'), join(cwd, 'node_modules/@types'));
  writeFileSync(join(cwd, 'package.json'), '{"type": "module"}');
  writeFileSync(join(cwd, 'examples.ts'), examples.replace('http://127.0.0.1:3050', service.url));
  const checks = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];
  const sources = ['--allowImportingTsExtensions', '--types', 'node', 'examples.ts'];
  await run(join(repository, 'node_modules/.bin/tsc'), [...checks, ...sources], { cwd });
  using running = spawnNode(['examples.ts'], { cwd, env: { HOME: cwd } });
  const { code, stdout, stderr } = await running.done;
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('404 not_found');
  expect(readFileSync(join(cwd, 'copy.bin'))).toEqual(readFileSync(join(cwd, 'model.bin')));
});

describe('the client', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** A server that answers as these functions say, one after the other. It tells which requests came. */
  async function answering(...answers: ((respond: Responder) => void)[]) {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const status = (code: number, body: object, headers = {}) =>
        response
          .writeHead(code, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(body));
      answers.shift()?.({ status, cut: () => request.socket.destroy() });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { seen, url: `http://127.0.0.1:${port}` };
  }

  interface Responder {
    readonly status: (code: number, body: object, headers?: object) => void;
    readonly cut: () => void;
  }

  const busy = ({ status }: Responder) =>
    status(503, { error: 'Busy.', code: 'unavailable' }, { 'retry-after': '0' });

  test('repeats what a busy service did not begin, and what a lost connection may repeat, with a new token', async () => {
    const { seen, url } = await answering(
      busy,
      ({ cut }) => cut(),
      ({ status }) => status(200, { graphs: [] }),
    );
    let tokens = 0;
    const cairn = new Cairn({ url, token: () => `t${++tokens}` });
    expect(await cairn.get('/graph/v1', { params: { query: { limit: 1 } } })).toEqual({ graphs: [] });
    expect(seen).toEqual(Array(3).fill('GET /graph/v1?limit=1 Bearer t1'));
    expect(tokens).toBe(1);
  });

  test('does not repeat a POST whose connection was lost', async () => {
    const { seen, url } = await answering(({ cut }) => cut());
    const call = new Cairn({ url, token: 't' }).post('/names/v1', { body: { ids: [] } });
    await expect(call).rejects.toThrow(`The service at ${url} cannot be reached`);
    expect(seen).toHaveLength(1);
  });

  test('follows the cursors of a list, and stops when the caller does', async () => {
    const pageWith = (next_cursor?: string) => (respond: Responder) =>
      respond.status(200, { graphs: [], next_cursor });
    const { seen, url } = await answering(pageWith('a'), pageWith('b'), pageWith());
    const cairn = new Cairn({ url, token: 't' });
    let pages = 0;
    for await (const { graphs } of cairn.pages('/graph/v1')) {
      expect(graphs).toEqual([]);
      pages += 1;
      if (pages === 2) break;
    }
    expect(seen.map((line) => line.split(' ')[1])).toEqual(['/graph/v1', '/graph/v1?cursor=a']);
  });

  test('tells bytes that do not have the CID', async () => {
    const { url } = await answering(({ status }) => status(200, {}));
    const download = new Cairn({ url, token: 't' }).download(
      'bafkr4ifpcnrz5hq2vxrmpfnkcbdc3zyaj5nv5drkkbjlxuoxbyfzvgfd6e',
    );
    await expect(Array.fromAsync(download)).rejects.toThrow('do not match bafkr4if');
  });

  test('refuses an address that is none', () => {
    expect(() => new Cairn({ url: 'nowhere' })).toThrow('CAIRN_URL');
  });
});
