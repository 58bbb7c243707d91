import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts the service as a process of its own, on a free port, and waits until it listens. */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...process.env, CAIRN_DATA_DIR: dataDir, CAIRN_PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      said.push(line);
      const [, found] = /"url":"([^"]+)"/.exec(line) ?? [];
      if (found) resolve(found);
    });
    ended.then(() => reject(new Error(`The service did not start:\n${said.join('\n')}`)));
  });
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

/** A folder that is gone when the work is done. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resident memory of a process now, and the most it ever had, in MiB (Linux). */
export async function memory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}
