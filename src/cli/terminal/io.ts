import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** The environment, streams and signals of a command. Tests pass their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that the command works in. */
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly fd?: number };
  /** Aborts at the next SIGINT or SIGTERM with its name as reason. A second signal ends the process. */
  readonly stopSignal: () => AbortSignal;
  /** Passes SIGINT, SIGTERM and SIGHUP to a listener, and does not end the process, until it is disposed. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => Disposable;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

export async function stopped(io: Io): Promise<string> {
  const signal = io.stopSignal();
  if (!signal.aborted) await once(signal, 'abort');
  return String(signal.reason);
}
