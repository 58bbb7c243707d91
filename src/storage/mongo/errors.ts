import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { ServiceError } from '../../domain/errors.ts';

const duplicateCode = 11_000;
const deadlockCode = 16_908_292;
const outOfDiskSpaceCode = 14_031;
const unauthorizedCode = 13;
const authenticationFailedCode = 18;
/** Of a server that stops, or is no primary any more: ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary and others. */
const stateChangeCodes: ReadonlySet<unknown> = new Set([
  91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
/** What servers say that have no code for a full disk: those built on PostgreSQL, and hosted ones with a quota. */
const fullWords = /no space left on device|disk is full|could not extend file|over your space quota/i;
/** What servers built on PostgreSQL say of an update that a unique index refuses. */
const takenWords = /violates (?:exclusion|unique) constraint/i;
/** What servers built on PostgreSQL say while others have all its connections. */
const crowdedWords = /too many (?:clients|connections)|remaining connection slots are reserved/i;

/** Whether a unique index has the key of a write already, be it one write or one of many. */
export function isDuplicate(error: unknown): boolean {
  return (
    codeOf(error) === duplicateCode || (error instanceof MongoServerError && takenWords.test(error.message))
  );
}

/**
 * Whether writes waited for each other and this one was given up, be it one write or some of many. It can be repeated
 * at once. The code is PostgreSQL's `deadlock_detected` (40P01), as servers that are built on it number it.
 */
export function isDeadlock(error: unknown): boolean {
  const problems = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error, ...problems].some((problem) => codeOf(problem) === deadlockCode);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === outOfDiskSpaceCode || fullWords.test(error.message);
}

/**
 * Whether the server, or the name server that knows where it is, was not reached, went away, or has no connection left:
 * it may come back.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof MongoServerError)
    return stateChangeCodes.has(error.code) || crowdedWords.test(error.message);
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    isNameServerError(error)
  );
}

/** Of `mongodb+srv` addresses. */
function isNameServerError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('query');
}

/** Whether the user is not let in, or may not do what was asked for. */
export function isAccessProblem(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    (error.code === unauthorizedCode || error.code === authenticationFailedCode)
  );
}

/** The domain's word for a failure of the database. Misuse of the driver is a defect and stays as it is. */
export function storageError(error: unknown): unknown {
  if (!(error instanceof MongoError) || error instanceof MongoInvalidArgumentError) return error;
  const cause = withoutDocuments(error);
  return isDiskFull(error)
    ? new ServiceError('storage_full', 'The disk of the database is full; nothing more is stored.', { cause })
    : new ServiceError('unavailable', 'The store failed; try again.', { cause, retryAfter: 1 });
}

/** Runs what asks the database; its failures leave as the domain's words. */
export async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error);
  }
}

/** Reads a cursor, or what else asks the database in steps; its failures leave as the domain's words. */
export async function* translatedEach<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  try {
    yield* items;
  } catch (error) {
    throw storageError(error);
  }
}

/** The refusal to start on a database, in words for the operator. @param place of it, without its password. */
export function startError(error: unknown, place: string): unknown {
  if (!(error instanceof MongoError) || error instanceof MongoInvalidArgumentError) return error;
  const cause = withoutDocuments(error);
  if (isDiskFull(error)) {
    const message = `The disk of ${place} is full. Make room on it and start again.`;
    return new ServiceError('storage_full', message, { cause });
  }
  return new ServiceError('unavailable', `${place} cannot be used: ${startReason(error)}.`, { cause });
}

function startReason({ code, message }: MongoError): string {
  switch (code) {
    case authenticationFailedCode:
      return 'the user or the password is wrong. Correct CAIRN_MONGODB_URL';
    case unauthorizedCode:
      return `the user of CAIRN_MONGODB_URL may not do what Cairn does there (${message}). Grant it readWrite`;
    default:
      return message.replace(/\.$/, '');
  }
}

/** Bulk writes carry what they wrote in their errors, which end in a log. */
export function withoutDocuments(error: MongoError): Error {
  const { name, message, code, stack } = error;
  return Object.assign(new Error(message), { name, ...(code !== undefined && { code }), stack });
}
