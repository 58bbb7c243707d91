import { messageOf, ServiceError } from '../../domain/errors.ts';
import { fileError, folderError, startFailure, storeFailure, systemCode } from '../file-errors.ts';

/** SQLite's result codes for a full disk: FULL, and IOERR_WRITE and IOERR_SHMSIZE for an exhausted quota. */
const fullCodes: ReadonlySet<unknown> = new Set([13, 778, 4874]);
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);

export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error;
}

export function isMissingFile(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

/** Turns a failure of the disk or the database into a ServiceError. Any other error is a defect. */
export function storageError(error: unknown): unknown {
  return isSqliteError(error)
    ? storeFailure(error, { isFull: fullCodes.has(error.errcode) })
    : fileError(error);
}

/** The domain error for a file that cannot be read. Only a lack of file descriptors passes by itself. */
export function fileReadError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || code === 'EMFILE' || code === 'ENFILE') return storageError(error);
  return new ServiceError('unavailable', `The disk cannot read a stored file (${code}).`, { cause: error });
}

/** Iterates, and translates errors with `readError`. */
export async function* reading<Item>(
  items: () => Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  try {
    yield* items();
  } catch (error) {
    throw readError(error);
  }
}

/** Like `storageError`, but a damaged database is not worth a retry. */
export function readError(error: unknown): unknown {
  if (!isDamage(error)) return storageError(error);
  const message = `The database is damaged: ${messageOf(error)}.`;
  return new ServiceError('unavailable', message, { cause: error });
}

/** @param place what is damaged in the database. */
export function damagedDatabase(place: string, cause?: unknown): ServiceError {
  const advice = 'Run "cairn fsck" to see what else is damaged, and restore it from a backup.';
  return new ServiceError('damaged', `The database is damaged: ${place}. ${advice}`, { cause });
}

/** Asynchronous reads that name their place when the database is damaged there. */
export function namingDamage<Reads extends object>(place: string, reads: Reads): Reads {
  type Read = (...args: unknown[]) => Promise<unknown>;
  const named =
    (read: Read) =>
    async (...args: unknown[]) => {
      try {
        return await read(...args);
      } catch (error) {
        throw isDamage(error) ? damagedDatabase(`${place}: ${messageOf(error)}`, error) : error;
      }
    };
  const pairs = Object.entries(reads).map(([name, read]) => [name, named(read as Read)]);
  return Object.fromEntries(pairs) as Reads;
}

/** Cairn never stores numbers that JavaScript cannot hold. */
function isDamage(error: unknown): boolean {
  if (isSqliteError(error)) return damageCodes.has(error.errcode & 0xff);
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** Like `storageError`, for a data folder that cannot be opened. */
export function startError(error: unknown, folder: string): unknown {
  if (!isSqliteError(error)) return folderError(error, folder);
  const reason = damageCodes.has(error.errcode & 0xff)
    ? `its database is damaged, or is not a database (${error.message}). Restore it from a backup`
    : error.message;
  const isFull = fullCodes.has(error.errcode);
  return startFailure(error, { place: `the data folder ${folder}`, isFull, reason });
}
