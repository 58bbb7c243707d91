import { type ErrorCode, messageOf, ServiceError } from '../../../domain/errors.ts';
import { storageError } from '../errors.ts';

export interface WriteRequest {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

/** A message to the writer thread. `close` is the last one. */
export type WriteMessage = { readonly requests: readonly WriteRequest[] } | { readonly close: true };

/** A message from the writer thread: `ready` once, then the outcomes of each committed transaction. */
export type WriteReport = { readonly ready: true } | { readonly outcomes: readonly WriteOutcome[] };

export type WriteOutcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** Errors lose their class between threads. */
interface SentError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly retryAfter: number | undefined;
  readonly cause: unknown;
}

export function sendError(thrown: unknown): SentError {
  const error = storageError(thrown);
  if (!(error instanceof ServiceError))
    return { code: undefined, message: messageOf(error), retryAfter: undefined, cause: error };
  const { code, message, retryAfter, cause } = error;
  return { code, message, retryAfter, cause };
}

export function receiveError({ code, message, retryAfter, cause }: SentError): Error {
  if (code === undefined) return new Error(message, { cause });
  return new ServiceError(code, message, { ...(retryAfter !== undefined && { retryAfter }), cause });
}
