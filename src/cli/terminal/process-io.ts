import { messageOf } from '../../domain/errors.ts';
import { exitCodes } from './failure.ts';
import type { Io } from './io.ts';
import { printable } from './output.ts';

/** The Io of this process. The process ends if standard output fails. */
export function processIo(env = process.env): Io {
  endWithOutput();
  // Without a listener, Node would open its inspector on this signal.
  process.on('SIGUSR1', () => undefined);
  const { stdin, stdout, stderr } = process;
  const exit = (code: number) => process.exit(code);
  return { env, cwd: process.cwd(), stdin, stdout, stderr, stopSignal, onSignal, exit };
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(signal));
  return controller.signal;
}

/** See `Io`. */
export function onSignal(listener: (signal: NodeJS.Signals) => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  const stop = () => {
    for (const signal of signals) process.off(signal, listener);
  };
  return { [Symbol.dispose]: stop };
}

/**
 * Ends the process silently, but not with exit code 0, when the reader of standard output is gone (as with `head`). A
 * closed standard error is ignored.
 */
function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.unread);
    process.stderr.write(printable(`Writing to standard output failed: ${messageOf(error)}.\n`));
    process.exit(exitCodes.usage);
  });
  process.stderr.on('error', () => undefined);
}
