import { messageOf } from '../../domain/errors.ts';
import { exitCodes } from './failure.ts';
import { printable } from './printable.ts';

/**
 * Ends the command when its results cannot be written any more: without a word when their reader has seen enough, as
 * `head` has, and never with the exit code of a success. Messages that nobody reads end nothing.
 */
export function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.unread);
    process.stderr.write(printable(`Standard output cannot be written: ${messageOf(error)}.\n`));
    process.exit(exitCodes.usage);
  });
  process.stderr.on('error', () => undefined);
}
