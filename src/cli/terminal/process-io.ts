import { messageOf } from '../../domain/errors.ts';
import { exitCodes } from './failure.ts';
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** The process itself. It ends when its results cannot be written any more. */
export function processIo(): Io {
  endWithOutput();
  const { env, stdin, stdout, stderr } = process;
  return { env, stdin, stdout, stderr, stopSignal };
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(signal));
  return controller.signal;
}

/**
 * Ends the process when the reader of its results has gone, as `head` does: silently, and never with the exit code of
 * a success. Messages that nobody reads end nothing.
 */
function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.unread);
    process.stderr.write(printable(`Standard output cannot be written: ${messageOf(error)}.\n`));
    process.exit(exitCodes.usage);
  });
  process.stderr.on('error', () => undefined);
}
