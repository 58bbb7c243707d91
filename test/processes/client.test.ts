import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { Cairn, LostConnection } from '../../src/client/cairn.ts';
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
  const checks = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'esnext',
  ];
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
      const cut = () => request.socket.destroy();
      const halve = () => response.writeHead(200, { 'content-length': '99' }).write('{"graphs":', cut);
      const text = (body: string) => response.end(body);
      answers.shift()?.({ status, cut, halve, text });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { seen, url: `http://127.0.0.1:${port}` };
  }

  interface Responder {
    readonly status: (code: number, body: object, headers?: object) => void;
    readonly cut: () => void;
    /** Ends the connection in the middle of an answer. */
    readonly halve: () => void;
    readonly text: (body: string) => void;
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

  test('repeats the upload of bytes in memory and a download whose connection was lost', async () => {
    const cid = 'bafkr4ibbdw2gtfuodcxyutaiwcvmucibucpb3vmstx235p4mhdemrijode';
    const { seen, url } = await answering(
      ({ cut }) => cut(),
      ({ status }) => status(200, { cid }),
      ({ cut }) => cut(),
      ({ text }) => text('aa'),
    );
    const cairn = new Cairn({ url, token: 't' });
    expect(await cairn.upload('aa')).toBe(cid);
    expect(Buffer.concat(await Array.fromAsync(cairn.download(cid))).toString()).toBe('aa');
    expect(seen).toHaveLength(4);
  });

  test.each([
    ['a Blob', new Blob(['text']), 'Blob'],
    ['an ArrayBuffer', new ArrayBuffer(4), 'ArrayBuffer'],
    ['a stream of texts', Readable.from(['text']), 'string'],
    ['a list of numbers', [1, 2], 'number'],
    ['a number', 5, 'number'],
    ['nothing', undefined, 'undefined'],
  ])('says what to upload instead of %s', async (_, bytes, kind) => {
    const { url } = await answering();
    const upload = new Cairn({ url, token: 't' }).upload(bytes as never);
    await expect(upload).rejects.toThrow(`found a value of the type ${kind}.`);
  });

  test('reads answers that are not JSON as the caller says, and names the way', async () => {
    const { url } = await answering(
      ({ text }) => text('graph TD'),
      ({ text }) => text('graph TD'),
    );
    const cairn = new Cairn({ url, token: 't' });
    const id = 'urn:cid:bafkr4ifpcnrz5hq2vxrmpfnkcbdc3zyaj5nv5drkkbjlxuoxbyfzvgfd6e';
    const init = { params: { path: { id } }, headers: { accept: 'text/vnd.mermaid' } };
    const drawing: string = await cairn.get('/lineage/v1/{id}', { ...init, parseAs: 'text' });
    expect(drawing).toBe('graph TD');
    await expect(cairn.get('/lineage/v1/{id}', init)).rejects.toThrow('parseAs');
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

  test('waits until the date that an answer names', async () => {
    const past = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' };
    const { url } = await answering(
      ({ status }) => status(429, { error: 'Busy.', code: 'rate_limited' }, past),
      ({ status }) => status(200, { graphs: [] }),
    );
    expect(await new Cairn({ url }).get('/graph/v1')).toEqual({ graphs: [] });
  });

  test.each(['nowhere', 'http://user:secret@localhost', 'http://localhost/?a=b'])(
    'refuses the address %s',
    (url) => {
      expect(() => new Cairn({ url })).toThrow('CAIRN_URL');
    },
  );

  const waiting = ({ status }: Responder) =>
    status(429, { error: 'Busy.', code: 'rate_limited' }, { 'retry-after': '20' });
  const silent = () => undefined;
  test.each([
    ['waits for a busy service', waiting],
    ['waits for an answer', silent],
  ])('ends a call that %s when its signal says so, with the reason of the signal', async (_, respond) => {
    const cid = 'bafkr4ifpcnrz5hq2vxrmpfnkcbdc3zyaj5nv5drkkbjlxuoxbyfzvgfd6e';
    async function* endless() {
      for (;;) yield await setImmediate(new Uint8Array(1_000));
    }
    const calls: ((cairn: Cairn, signal: AbortSignal) => Promise<unknown>)[] = [
      (cairn, signal) => cairn.get('/graph/v1', { signal }),
      (cairn, signal) => cairn.upload('text', { signal }),
      (cairn, signal) => Array.fromAsync(cairn.download(cid, { signal })),
      ...(respond === silent
        ? [(cairn: Cairn, signal: AbortSignal) => cairn.upload(endless(), { signal })]
        : []),
    ];
    for (const call of calls) {
      const stop = new AbortController();
      const reason = new Error('Enough.');
      const { seen, url } = await answering((responder) => {
        respond(responder);
        void setImmediate().then(() => stop.abort(reason));
      });
      await expect(call(new Cairn({ url, token: 't' }), stop.signal)).rejects.toBe(reason);
      expect(seen).toHaveLength(1);
    }
  });

  test('says that a connection was lost in the middle of an answer, and that another service answered', async () => {
    const { url } = await answering(
      ({ halve }) => halve(),
      ({ text }) => text('<html>'),
    );
    const cairn = new Cairn({ url, token: 't' });
    await expect(cairn.get('/graph/v1')).rejects.toThrow(LostConnection);
    await expect(cairn.get('/graph/v1')).rejects.toThrow('did not answer with JSON');
  });
});
