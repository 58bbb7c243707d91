import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

const repository = join(import.meta.dirname, '..', '..');
const main = join(repository, 'src', 'main.ts');
/** Starts of the command take half as long with it. */
const compileCache = join(tmpdir(), 'cairn-test-compile-cache');

export type Environment = Readonly<Record<string, string>>;
export interface RunOptions {
  readonly env?: Environment;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Disposing ends it, however the test ended. */
export interface RunningCairn extends Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly done: Promise<Run>;
}

/** A folder of the test's own, gone after it. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'cairn-cli-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The program and its arguments, for a shell. */
export function commandLine(args: readonly string[]): string[] {
  return [process.execPath, main, ...args];
}

/** The command in a process of its own, with nothing of the surrounding settings. */
export function startCairn(args: readonly string[], options: RunOptions = {}): RunningCairn {
  return startNode([main, ...args], options);
}

export async function cairn(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return await startCairn(args, options).done;
}

export function startNode(
  args: readonly string[],
  { env = {}, input, cwd = tmpdir() }: RunOptions,
): RunningCairn {
  const inherited = { PATH: process.env.PATH ?? '', HOME: cwd, NODE_COMPILE_CACHE: compileCache };
  const child = spawn(process.execPath, args, { cwd, env: { ...inherited, ...env } });
  const closed = once(child, 'close') as Promise<[number | null]>;
  // A command that refuses its arguments does not read what it is given.
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

export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Environment of a client of this service, with a state folder of its own. */
  readonly env: Environment;
  /** Ends it as an operator would, and answers the exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a failing machine would. */
  kill(): Promise<void>;
}

/** `cairn serve` on a free port and a temporary folder. */
export async function startService(env: Environment = {}): Promise<Service> {
  const folder = temporaryFolder();
  const { child, done } = startCairn(['serve', '--port', '0'], {
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

/** The address that a service tells once it listens. */
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
