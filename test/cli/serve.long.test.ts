import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { smallContentBytes } from '../../src/domain/bucket.ts';
import { startCairn, temporaryFolder } from './run-cairn.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function startServe(dataDir: string, more: Record<string, string> = {}) {
  const env = { CAIRN_DATA_DIR: dataDir, CAIRN_WORKERS: '1', ...more };
  const running = startCairn(['serve', '--port', '0'], { env });
  const listening = () => /Cairn listens on (http[^"]+)/.exec(running.stderr())?.[1] ?? expect.fail();
  return { ...running, url: new URL(await vi.waitFor(listening, 20_000)) };
}

describe('cairn serve', () => {
  test('ends with exit code 3 when its writer thread dies', async () => {
    using folder = temporaryFolder();
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    const { url, done } = await startServe(folder.path);
    const body = '{"blob_store_write_concurrency_limit":8}';
    const headers = { 'content-type': 'application/json' };
    await fetch(new URL('/dynamic-config/v1', url), { method: 'PUT', headers, body });
    const at = sent.mock.calls.findIndex(([message]) => Array.isArray(message.calls));
    await (sent.mock.contexts[at] as Worker).terminate();
    const { code, stderr } = await done;
    expect(code).toBe(3);
    expect(stderr).toContain('The writer thread has ended');
  });

  test('goes on listening for CAIRN_SHUTDOWN_DELAY, not ready and without keeping connections', async () => {
    using folder = temporaryFolder();
    const { url, stop, done } = await startServe(folder.path, { CAIRN_SHUTDOWN_DELAY: '500ms' });
    const ask = async (path: string) => {
      const { status, headers } = await fetch(new URL(path, url));
      return [status, headers.get('connection')];
    };
    expect(await ask('/ready')).toEqual([200, 'keep-alive']);
    stop();
    expect(await ask('/ready')).toEqual([503, 'close']);
    expect(await ask('/health')).toEqual([200, 'close']);
    expect((await done).code).toBe(0);
    await expect(ask('/health')).rejects.toThrow();
  });

  test('ends requests that still run when CAIRN_SHUTDOWN_TIMEOUT is almost over', async () => {
    using folder = temporaryFolder();
    const { url, stop, done } = await startServe(folder.path);
    const socket = connect(Number(url.port), url.hostname);
    // Smaller blobs have no file.
    const part = 'x'.repeat(smallContentBytes + 1);
    const length = part.length + 1;
    socket.write(
      `PUT /store/v1/blob HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${part}`,
    );
    const staged = () => readdirSync(join(folder.path, 'staging')).length;
    await vi.waitFor(() => expect(staged()).toBe(1));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    stop();
    const closed = once(socket, 'close');
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
    vi.advanceTimersByTime(27_000);
    vi.useRealTimers();
    await closed;
    expect((await done).code).toBe(0);
  });

  test('ends the process when closing takes more than 3 seconds after the last request', async () => {
    using folder = temporaryFolder();
    const { url, stop, done, exits, stderr } = await startServe(folder.path);
    // Starts a thread that has to be closed.
    const headers = { 'content-type': 'application/json' };
    const body = '{"@id":"urn:a","urn:b":"c"}';
    const answer = await fetch(new URL('/utils/v1/json-ld/to-nquads', url), {
      method: 'POST',
      headers,
      body,
    });
    expect(answer.status).toBe(200);
    const terminate = Worker.prototype.terminate;
    const stuck = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    vi.spyOn(Worker.prototype, 'terminate').mockImplementation(async function (this: Worker) {
      asked.resolve();
      await stuck.promise;
      return await terminate.call(this);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    stop();
    await asked.promise;
    vi.advanceTimersByTime(2_999);
    expect(exits).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exits).toEqual([1]);
    expect(stderr()).toContain('Closing took more than 3000 ms');
    vi.useRealTimers();
    stuck.resolve();
    await done;
  });
});
