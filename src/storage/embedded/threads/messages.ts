import { type ErrorCode, messageOf, ServiceError } from '../../../domain/errors.ts';
import { storageError } from '../errors.ts';

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

/** A message to a thread. `close` is the last one. */
export type ThreadMessage = { readonly calls: readonly Call[] } | { readonly close: true };

/** A message from a thread: `ready` once, then outcomes. */
export type ThreadReport = { readonly ready: true } | { readonly outcomes: readonly Outcome[] };

export type Outcome =
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
