import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** The process as a command sees it. Tests run commands with streams and variables of their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** `fd` is its file descriptor, where it has one. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly fd?: number };
  /** Aborts at the next SIGINT or SIGTERM, with its name as reason. A second one ends the process. */
  readonly stopSignal: () => AbortSignal;
}

/** Resolves with the name of the signal that stops the process. */
export async function stopped(io: Io): Promise<string> {
  const signal = io.stopSignal();
  if (!signal.aborted) await once(signal, 'abort');
  return String(signal.reason);
}
