import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../temporary-folder.ts';

const repository = join(import.meta.dirname, '..', '..');
const main = join(repository, 'src', 'main.ts');
/** Halves the start time of a command. */
const compileCache = join(tmpdir(), 'cairn-test-compile-cache');

export type Environment = Readonly<Record<string, string>>;
export interface RunOptions {
  readonly env?: Environment;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** How many file descriptors the process may open. */
  readonly descriptors?: number;
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Disposing it kills the process. */
export interface SpawnedCairn extends Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly done: Promise<Run>;
}

/** The program and its arguments, for a shell. */
export function commandLine(args: readonly string[]): string[] {
  return [process.execPath, main, ...args];
}

/** Starts a command in a new process, without the environment of this one. */
export function spawnCairn(args: readonly string[], options: RunOptions = {}): SpawnedCairn {
  return spawnNode([main, ...args], options);
}

export async function runCairn(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return await spawnCairn(args, options).done;
}

export function spawnNode(args: readonly string[], { descriptors, ...options }: RunOptions): SpawnedCairn {
  return descriptors === undefined
    ? spawnProgram(process.execPath, args, options)
    : spawnProgram(
        'sh',
        ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath, ...args],
        options,
      );
}

/** Starts a program in a new process, without the environment of this one. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  { env = {}, input, cwd = tmpdir() }: Omit<RunOptions, 'descriptors'> = {},
): SpawnedCairn {
  const inherited = { PATH: process.env.PATH ?? '', HOME: cwd, NODE_COMPILE_CACHE: compileCache };
  const child = spawn(program, args, { cwd, env: { ...inherited, ...env } });
  const closed = once(child, 'close') as Promise<[number | null]>;
  // A command that refuses its arguments does not read its input.
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const done = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({
      code,
      stdout,
      stderr,
    }),
  );
  return { child, done, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

export interface SpawnedService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Environment of a client of this service, with a state folder of its own. */
  readonly env: Environment;
  /** Stops the service. @returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it. */
  kill(): Promise<void>;
}

/** `cairn serve` on a free port and a temporary folder. */
export async function spawnService(env: Environment = {}): Promise<SpawnedService> {
  const folder = temporaryFolder();
  const { child, done } = spawnCairn(['serve', '--port', '0'], {
    env: { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data'), ...env },
  });
  const url = await listeningUrl(child.stderr, done);
  const stop = async () => {
    child.kill('SIGTERM');
    const { code } = await done;
    folder[Symbol.dispose]();
    return code;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await done;
  };
  const dispose = async () => {
    const code = await stop();
    if (code !== 0) throw new Error(`The service ended with ${code}: ${(await done).stderr}`);
  };
  const clientEnv = { CAIRN_URL: url, XDG_STATE_HOME: join(folder.path, 'state') };
  return { url, pid: child.pid ?? 0, env: clientEnv, stop, kill, [Symbol.asyncDispose]: dispose };
}

/** The address of a service, once it listens. */
export async function listeningUrl(stderr: Readable, done: Promise<Run>): Promise<string> {
  const listening = new Promise<string>((resolve) => {
    createInterface(stderr).on('line', (line) => {
      const [, url] = /Cairn listens on ([^"\s]+)/.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
  const ended = done.then((run) => Promise.reject(new Error(`The service did not start: ${run.stderr}`)));
  return await Promise.race([listening, ended]);
}
