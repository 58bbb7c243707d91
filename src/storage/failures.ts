import { ServiceError } from '../domain/errors.ts';

export function storeFailure(cause: unknown, isFull: boolean): ServiceError {
  return isFull
    ? new ServiceError('storage_full', 'The disk is full; nothing was stored.', { cause })
    : new ServiceError('unavailable', 'The store failed; try again.', { cause, retryAfter: 1 });
}

/** A store that cannot be opened, as the operator sees it. */
export function startFailure(cause: unknown, place: string, isFull: boolean, reason: string): ServiceError {
  return isFull
    ? new ServiceError('storage_full', `The disk of ${place} is full. Make room on it and start again.`, {
        cause,
      })
    : new ServiceError('unavailable', `Cairn cannot use ${place}: ${reason}.`, { cause });
}
