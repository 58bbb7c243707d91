import { messageOf, ServiceError } from '../../domain/errors.ts';

/** SQLite's result codes for a full disk: FULL, and IOERR_WRITE and IOERR_SHMSIZE for an exhausted quota. */
const fullCodes: ReadonlySet<unknown> = new Set([13, 778, 4874]);
const fullErrors: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error;
}

export function isMissingFile(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

export function isDiskFull(error: unknown): boolean {
  return isSqliteError(error) ? fullCodes.has(error.errcode) : fullErrors.has(systemCode(error));
}

/** The domain's word for a failure of the disk or the database. Anything else is a defect and stays as it is. */
export function storageFault(error: unknown): unknown {
  if (isDiskFull(error)) {
    return new ServiceError('storage_full', 'The disk is full; nothing was stored.', { cause: error });
  }
  if (!isSqliteError(error) && systemCode(error) === undefined) return error;
  return new ServiceError('unavailable', 'The store failed; try again.', { cause: error, retryAfter: 1 });
}

/** The refusal to start on a folder, in words for the operator. */
export function startFault(error: unknown, folder: string): unknown {
  if (isDiskFull(error)) {
    const message = `The disk that holds the data folder ${folder} is full. Make room on it and start again.`;
    return new ServiceError('storage_full', message, { cause: error });
  }
  if (!isSqliteError(error) && systemCode(error) === undefined) return error;
  return new ServiceError('unavailable', `The data folder ${folder} cannot be used: ${startReason(error)}.`, {
    cause: error,
  });
}

function startReason(error: unknown): string {
  switch (isSqliteError(error) ? error.errcode & 0xff : systemCode(error)) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it, or a folder above it, is a file. Choose another folder with CAIRN_DATA_DIR';
    case 'EROFS':
      return 'it is on a read-only file system. Make it writable or choose another with CAIRN_DATA_DIR';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write to it. Change its owner or mode, or choose another with CAIRN_DATA_DIR';
    case 11:
    case 26:
      return `its database is damaged or is none (${messageOf(error)}). Restore it from a backup`;
    default:
      return messageOf(error);
  }
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}
