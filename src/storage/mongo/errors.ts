import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { within } from '../../domain/within.ts';
import { startFailure, storeFailure } from '../file-errors.ts';

const duplicateCode = 11_000;
/** `deadlock_detected` (40P01) of PostgreSQL, as servers built on it number it in the errors of a write's documents. */
const deadlockCode = 16_908_292;
/** The same as the error of a whole command, such as `findAndModify`, which has a general code. */
const deadlockWords = /deadlock detected/i;
const outOfDiskSpaceCode = 14_031;
const unauthorizedCode = 13;
const authenticationFailedCode = 18;
/** Codes of a server that stops or is no longer primary, such as ShutdownInProgress and NotWritablePrimary. */
const stateChangeCodes: ReadonlySet<unknown> = new Set([
  91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
const brokenSocketCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']);
/** A full disk on servers without a code for it: those built on PostgreSQL, and hosted ones with a quota. */
const fullWords = /no space left on device|disk is full|could not extend file|over your space quota/i;
/** An update that a unique index refuses, on servers built on PostgreSQL. */
const takenWords = /violates (?:exclusion|unique) constraint/i;
/** No free connections, on servers built on PostgreSQL. */
const crowdedWords = /too many (?:clients|connections)|remaining connection slots are reserved/i;

export function isDuplicate(error: unknown): boolean {
  if (codeOf(error) === duplicateCode) return true;
  return error instanceof MongoServerError && takenWords.test(error.message);
}

/** Whether a write, or one of many, was rolled back because of a deadlock. It can be retried at once. */
export function isDeadlock(error: unknown): boolean {
  const problems = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (error instanceof MongoServerError && deadlockWords.test(error.message)) return true;
  return [error, ...problems].some((problem) => codeOf(problem) === deadlockCode);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === outOfDiskSpaceCode || fullWords.test(error.message);
}

/** Whether the server or its name server was not reached, went away, or has no free connection. */
export function isOutage(error: unknown): boolean {
  if (error instanceof MongoServerError)
    return stateChangeCodes.has(error.code) || crowdedWords.test(error.message);
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    isSocketError(error) ||
    isNameServerError(error)
  );
}

/** The driver passes on the error of a socket that breaks while a large command waits to be written. */
function isSocketError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && brokenSocketCodes.has(codeOf(error));
}

/** For `mongodb+srv` addresses. */
function isNameServerError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('query');
}

export function isAccessProblem(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === unauthorizedCode || error.code === authenticationFailedCode;
}

function isStorageError(error: unknown): error is MongoError | NodeJS.ErrnoException {
  if (isSocketError(error)) return true;
  return error instanceof MongoError && !(error instanceof MongoInvalidArgumentError);
}

/** Turns a failure of the database into a ServiceError. Misuse of the driver is a defect and stays as it is. */
export function storageError(error: unknown): unknown {
  return isStorageError(error) ? storeFailure(withoutDocuments(error), { isFull: isDiskFull(error) }) : error;
}

/**
 * How long a request waits for one piece of work of the database, with all attempts of the driver. So a request is answered
 * within 30 s of the moment at which the database goes away.
 */
const deadlineMs = 25_000;

/** Runs work on the database and translates its errors with `storageError`. @throws ServiceError after the deadline. */
export async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await inTime(work());
  } catch (error) {
    throw storageError(error);
  }
}

/** Like `translated`, for each of the items. */
export async function* translatedEach<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  const iterator = items[Symbol.asyncIterator]();
  let isAnswered = true;
  try {
    for (;;) {
      isAnswered = false;
      const next = await translated(() => iterator.next());
      isAnswered = true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // It ends after the last question, which may never be answered.
    const ended = iterator.return?.();
    if (isAnswered) await ended;
    else ended?.catch(() => undefined);
  }
}

/** @throws MongoNetworkTimeoutError after the deadline. The work may still happen. */
export function inTime<Result>(work: Promise<Result>, ms = deadlineMs): Promise<Result> {
  return within(ms, work, () => new MongoNetworkTimeoutError(`No answer within ${ms / 1_000} s`));
}

/** Like `storageError`, for a database that cannot be opened. @param place where it is, without its password. */
export function startError(error: unknown, place: string): unknown {
  if (!isStorageError(error)) return error;
  const reason = startReason(error);
  return startFailure(withoutDocuments(error), { place, isFull: isDiskFull(error), reason });
}

function startReason({ code, message }: MongoError | NodeJS.ErrnoException): string {
  switch (code) {
    case authenticationFailedCode:
      return 'the user or the password is wrong. Correct CAIRN_MONGODB_URL';
    case unauthorizedCode:
      return `the user of CAIRN_MONGODB_URL lacks permissions (${message}). Grant it readWrite`;
    default:
      return message.replace(/\.$/, '');
  }
}

/** Errors of bulk writes contain the documents, which must not get into a log. */
function withoutDocuments({ name, message, code, stack }: MongoError | NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { name, ...(code !== undefined && { code }), stack });
}
