import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export { temporaryFolder } from '../temporary-folder.ts';

export type Environment = Readonly<Record<string, string>>;

export interface RunOptions {
  readonly env?: Environment;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects the output of a command. */
class Output extends Writable {
  readonly #chunks: Uint8Array[] = [];

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

export interface RunningCairn {
  readonly done: Promise<Run>;
  /** The text on stderr so far. */
  readonly stderr: () => string;
  /** The codes with which the command ended the process at once. The process goes on here. */
  readonly exits: readonly number[];
  /** Acts like the first signal. */
  readonly stop: (signal?: 'SIGINT' | 'SIGTERM') => void;
}

/** Starts a command in this process, without its environment. */
export function startCairn(
  args: readonly string[],
  { env = {}, input, cwd = tmpdir() }: RunOptions = {},
): RunningCairn {
  const [stdout, stderr] = [new Output(), new Output()];
  const stop = new AbortController();
  const exits: number[] = [];
  const io = {
    env: { HOME: tmpdir(), ...env },
    cwd,
    stdin: input === undefined ? new PassThrough() : Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    stopSignal: () => stop.signal,
    onSignal: () => ({ [Symbol.dispose]: () => undefined }),
    exit: (code: number) => void exits.push(code),
  };
  const done = run(['node', 'cairn', ...args], io).then((code) => ({
    code,
    stdout: stdout.text,
    stderr: stderr.text,
  }));
  return { done, stderr: () => stderr.text, exits, stop: (signal = 'SIGTERM') => stop.abort(signal) };
}

export async function cairn(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return await startCairn(args, options).done;
}

/** Waits for a text on stderr and returns its first group. */
export async function said({ done, stderr }: RunningCairn, pattern: RegExp): Promise<string> {
  const ended = done.then(() => Promise.reject(new Error(`The command has ended: ${stderr()}`)));
  const find = () => pattern.exec(stderr())?.[1] ?? Promise.reject(new Error(`It says: ${stderr()}`));
  return await Promise.race([vi.waitFor(find, { timeout: 20_000, interval: 10 }), ended]);
}

export const listening = /Cairn listens on ([^"\s]+)/;

export interface Service extends AsyncDisposable {
  readonly url: string;
  /** Environment of a client of this service, with folders for state and configuration of its own. */
  readonly env: Environment;
  /** Stops the service. @returns its exit code. */
  stop(): Promise<number>;
}

/** `cairn serve` on a free port and a temporary folder. */
export async function startService(env: Environment = {}): Promise<Service> {
  const folder = temporaryFolder();
  const running = startCairn(['serve', '--port', '0'], {
    env: { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data'), ...env },
  });
  const url = await said(running, listening);
  const stop = async () => {
    running.stop();
    const { code } = await running.done;
    folder[Symbol.dispose]();
    return code;
  };
  const dispose = async () => {
    const code = await stop();
    if (code !== 0) throw new Error(`The service ended with ${code}: ${running.stderr()}`);
  };
  const clientEnv = {
    CAIRN_URL: url,
    XDG_STATE_HOME: join(folder.path, 'state'),
    XDG_CONFIG_HOME: join(folder.path, 'config'),
  };
  return { url, env: clientEnv, stop, [Symbol.asyncDispose]: dispose };
}
