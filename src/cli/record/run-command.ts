import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** As in shells: the command is not found, or cannot be run. */
const spawnCodes: Readonly<Record<string, number>> = { ENOENT: 127, EACCES: 126 };

/** How a run ended. */
export interface Ending {
  readonly exit_code?: number;
  readonly signal?: string;
  /** Why a function failed. */
  readonly error?: string;
  /** What is thrown for a run that failed. */
  readonly failure?: unknown;
}

/**
 * Runs a command with the streams of this one. Signals go on to it.
 * @param stdout where its output goes.
 * @returns with a Failure if the command fails: its exit code, or 128 and the number of the signal that ended it.
 * @throws Failure if the command cannot be started.
 */
export async function runCommand(
  io: Pick<Io, 'env' | 'stdin' | 'stderr' | 'onSignal'>,
  [program = '', ...args]: readonly string[],
  { cwd, stdout }: { readonly cwd: string; readonly stdout: Writable },
): Promise<Ending> {
  const child = spawn(program, args, {
    cwd,
    env: io.env,
    stdio: [shared(io.stdin, 'ignore'), shared(stdout, 'pipe'), shared(io.stderr, 'pipe')],
  });
  child.stdout?.pipe(stdout, { end: false });
  child.stderr?.pipe(io.stderr, { end: false });
  const isOnTerminal = 'isTTY' in io.stdin && io.stdin.isTTY === true;
  // A terminal sends Ctrl-C to the command, too. A second one would end many programs at once.
  using _ = io.onSignal((signal) => (signal === 'SIGINT' && isOnTerminal ? undefined : child.kill(signal)));
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const [code, signal] = await closed.catch((error: NodeJS.ErrnoException) => failStart(program, error));
  if (signal)
    return { signal, failure: new Failure(128 + constants.signals[signal], `${signal} ended the command.`) };
  if (code === 0) return { exit_code: code };
  const exitCode = code ?? 1;
  const failure = new Failure(exitCode, `The command failed with exit code ${exitCode}.`);
  return { exit_code: exitCode, failure };
}

function failStart(program: string, cause: NodeJS.ErrnoException): never {
  const reason = cause.code === 'ENOENT' ? 'was not found' : `cannot be run (${cause.code})`;
  const message = `The command ${program} ${reason}. Nothing was recorded.`;
  throw new Failure(spawnCodes[cause.code ?? ''] ?? 126, message, { cause });
}

/** Streams of the operating system are shared with the command, others are not. */
function shared(stream: (Readable | Writable) & { readonly fd?: number }, otherwise: 'pipe' | 'ignore') {
  return typeof stream.fd === 'number' ? stream.fd : otherwise;
}
