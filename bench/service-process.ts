import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Kills the process. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts the service in a new process on a free port, and waits until it is ready. */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
  service = 'all',
): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [main, 'serve', service], {
    env: {
      CAIRN_LOG_LEVEL: 'warn',
      ...process.env,
      CAIRN_DATA_DIR: dataDir,
      CAIRN_PORT: String(port),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`The service did not start:\n${said.join('')}`);
    await setTimeout(20);
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return {
    url,
    dataDir,
    pid: child.pid ?? 0,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`)).ok;
  } catch {
    return false;
  }
}

/** Runs work with a temporary folder. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Current and peak resident memory of a process in MiB (Linux). */
export async function memory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}
