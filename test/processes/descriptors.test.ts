import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { didStatements } from '../builders/statements.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, spawnCairn } from './spawn-cairn.ts';

describe('a service with 256 file descriptors', () => {
  test.each([
    ['closes most of 400 idle connections, and starts a thread', {}, [201]],
    [
      'survives when it accepts them all and cannot start a thread',
      { CAIRN_MAX_CONNECTIONS: '1000' },
      [201, 500, 503],
    ],
  ])('%s', async (_what, more, statuses) => {
    using folder = temporaryFolder();
    const own = { CAIRN_WORKERS: '2', CAIRN_DATA_DIR: join(folder.path, 'data') };
    const env = { ...own, ...more };
    using running = spawnCairn(['serve', '--port', '0'], { env, descriptors: 256 });
    const url = await listeningUrl(running.child.stderr, running.done);
    using agent = keepAlive();
    expect((await ask(agent.agent, url, 'GET', '/health/v1')).status).toBe(200);
    const idle = await Promise.all(Array.from({ length: 400 }, () => open(new URL(url))));
    const body = JSON.stringify({ statements: didStatements(1_000), generate_id: true });
    const put = async () => (await ask(agent.agent, url, 'PUT', '/statements/v1/batch', body)).status;
    expect(statuses).toContain(await put());
    for (const socket of idle) socket.destroy();
    await expect.poll(put, { timeout: 60_000 }).toBeOneOf([200, 201]);
    running.child.kill('SIGTERM');
    expect((await running.done).code).toBe(0);
  });
});

/** One connection for all requests. */
function keepAlive() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}

async function open({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

async function ask(agent: Agent, url: string, method: string, path: string, body?: string) {
  const headers = { 'content-type': 'application/json' };
  const sent = request(new URL(path, url), { agent, method, headers });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode as number, text: await text(answer) };
}
