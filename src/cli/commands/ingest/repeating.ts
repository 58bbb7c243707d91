import pRetry from 'p-retry';
import { LostConnection } from '../../client/api-client.ts';

const retries = 5;
const firstWaitMs = 500;

export type Repeat = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Repeats idempotent work after lost connections. Nothing is repeated before the first success, because then the service
 * may not run, or the address may be wrong.
 */
export function repeating(say: (sentence: string) => void): Repeat {
  let hasSucceeded = false;
  return async (work) => {
    const result = await pRetry(work, {
      retries,
      minTimeout: firstWaitMs,
      onFailedAttempt: ({ error, retriesLeft, retryDelay }) => {
        if (!hasSucceeded || !(error instanceof LostConnection)) throw error;
        if (retriesLeft > 0)
          say(`The connection was lost. Sending the request again in ${retryDelay / 1_000} s.`);
      },
    });
    hasSucceeded = true;
    return result;
  };
}
