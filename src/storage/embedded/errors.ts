import { messageOf, ServiceError } from '../../domain/errors.ts';
import { fileError, folderError, systemCode } from '../file-errors.ts';

/** SQLite's result codes for a full disk: FULL, and IOERR_WRITE and IOERR_SHMSIZE for an exhausted quota. */
const fullCodes: ReadonlySet<unknown> = new Set([13, 778, 4874]);

export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error;
}

export function isMissingFile(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

/** The domain's word for a failure of the disk or the database. Anything else is a defect and stays as it is. */
export function storageError(error: unknown): unknown {
  if (!isSqliteError(error)) return fileError(error);
  return fullCodes.has(error.errcode)
    ? new ServiceError('storage_full', 'The disk is full; nothing was stored.', { cause: error })
    : new ServiceError('unavailable', 'The store failed; try again.', { cause: error, retryAfter: 1 });
}

/** The domain error for a file that cannot be read. Only a lack of file descriptors passes by itself. */
export function fileReadError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || code === 'EMFILE' || code === 'ENFILE') return storageError(error);
  return new ServiceError('unavailable', `The disk cannot read a stored file (${code}).`, { cause: error });
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);

/** Reads step by step; damage of the database leaves without any hope of a next time. */
export async function* reading<Item>(
  items: () => Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  try {
    yield* items();
  } catch (error) {
    throw readError(error);
  }
}

/** The domain's word for a failed reading. */
export function readError(error: unknown): unknown {
  if (!isDamage(error)) return storageError(error);
  const message = `The database is damaged: ${messageOf(error)}.`;
  return new ServiceError('unavailable', message, { cause: error });
}

/** Numbers that JavaScript cannot hold are none that Cairn has stored. */
function isDamage(error: unknown): boolean {
  if (isSqliteError(error)) return damageCodes.has(error.errcode & 0xff);
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** The refusal to start on a folder, in words for the operator. */
export function startError(error: unknown, folder: string): unknown {
  if (!isSqliteError(error)) return folderError(error, folder);
  if (fullCodes.has(error.errcode)) {
    const message = `The disk that holds the data folder ${folder} is full. Make room on it and start again.`;
    return new ServiceError('storage_full', message, { cause: error });
  }
  const message = `The data folder ${folder} cannot be used: ${startReason(error)}.`;
  return new ServiceError('unavailable', message, { cause: error });
}

function startReason(error: Error & { readonly errcode: number }): string {
  return damageCodes.has(error.errcode & 0xff)
    ? `its database is damaged or is none (${messageOf(error)}). Restore it from a backup`
    : messageOf(error);
}
