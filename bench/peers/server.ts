import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Starts a server and waits until its port takes connections. */
export async function startServer(
  program: string,
  parameters: readonly string[],
  port: number,
): Promise<AsyncDisposable> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-1_000);
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!(await takesConnections(port))) {
    if (hasEnded) throw new Error(`${program} did not start: ${said}`);
    await delay(50);
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
