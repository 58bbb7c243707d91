import { setTimeout } from 'node:timers/promises';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { isConnectionLoss, startFault } from './faults.ts';

const pauseMs = 250;

export interface Patience {
  /** For how long the start waits for its server. */
  readonly waitMs: number;
  /** Told a sentence for the log each time that the server was not reached. */
  readonly waiting: (sentence: string) => void;
}

/**
 * Repeats what the start has to do until the server answers.
 * @param place of the database, without its password.
 * @throws ServiceError `unavailable`, with `retryAfter` when the server was not reached in time; `storage_full`.
 */
export async function whenReachable<Result>(
  place: string,
  { waitMs, waiting }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLoss(error)) throw startFault(error, place);
      if (performance.now() > until) throw unreachable(place, waitMs, error);
      waiting(`Waiting for ${place}: ${messageOf(error)}.`);
    }
    await setTimeout(pauseMs);
  }
}

function unreachable(place: string, waitMs: number, cause: unknown): ServiceError {
  const message =
    `${place} was not reached within ${waitMs / 1_000} s (CAIRN_START_WAIT): ${messageOf(cause)}. ` +
    'Start it, or correct CAIRN_MONGODB_URL.';
  return new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}
