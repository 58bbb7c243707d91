import { ServiceError } from '../domain/errors.ts';

export interface Readiness {
  /** Rejects when a dependency does not answer. */
  readonly ready: () => Promise<void>;
}

/** @throws ServiceError `unavailable`. */
export async function demandReady({ ready }: Readiness): Promise<void> {
  await ready().catch((cause: unknown) => {
    const reason = cause instanceof ServiceError ? cause.message : 'The store does not answer.';
    throw new ServiceError('unavailable', reason, { cause, retryAfter: 1 });
  });
}
