import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Kills the process. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/**
 * Starts the service in a new process on a free port, unless CAIRN_PORT is given, and waits until it is ready.
 * @param program its `src/main.ts`; another one for an older checkout.
 */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
  service = 'all',
  program = main,
): Promise<ServiceProcess> {
  const port = environment.CAIRN_PORT ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  return await start(
    service,
    { CAIRN_PORT: port, ...environment },
    dataDir,
    url,
    () => isReady(url),
    program,
  );
}

/** Starts a process that only works on jobs. */
export async function startJobs(
  dataDir: string,
  environment: Record<string, string>,
): Promise<ServiceProcess> {
  const logging = { ...environment, CAIRN_LOG_LEVEL: 'info' };
  return await start('jobs', logging, dataDir, '', async (said) => said.includes('works on jobs'));
}

/** Starts the admission webhook on a free port. Its `url` is https. */
export async function startAdmission(
  folder: string,
  environment: Record<string, string>,
): Promise<ServiceProcess> {
  const port = String(await freePort());
  const settings = { ...environment, CAIRN_ADMISSION_PORT: port, CAIRN_LOG_LEVEL: 'info' };
  const isUp = async (said: string) => said.includes('webhook listens on');
  return await start('admission', settings, folder, `https://127.0.0.1:${port}`, isUp);
}

async function start(
  service: string,
  environment: Record<string, string>,
  dataDir: string,
  url: string,
  isUp: (said: string) => Promise<boolean>,
  program = main,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [program, 'serve', service], {
    env: { CAIRN_LOG_LEVEL: 'warn', ...process.env, CAIRN_DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  while (!(await isUp(said))) {
    if (child.exitCode !== null) throw new Error(`The service did not start:\n${said}`);
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

export async function isReady(url: string): Promise<boolean> {
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

/**
 * Resident memory of a process in MiB (Linux): now, at most, and now without mapped files. SQLite maps up to 2 GiB of the
 * database, and the kernel takes these pages back when memory is scarce.
 */
export async function memory(pid: number): Promise<{ now: number; peak: number; own: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: mib('VmRSS'), peak: mib('VmHWM'), own: mib('RssAnon') };
}

/** The bytes that a process has caused to be written to disk (Linux, `write_bytes`; nothing on a tmpfs). */
export async function bytesWritten(pid: number): Promise<number> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8');
  return Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]);
}
