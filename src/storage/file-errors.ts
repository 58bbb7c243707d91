import { messageOf, ServiceError } from '../domain/errors.ts';

const fullErrors: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** The code of a failed system call; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

/** Turns a failed system call into a ServiceError. Any other error is a defect and stays as it is. */
export function fileError(error: unknown): unknown {
  const code = systemCode(error);
  return code === undefined ? error : storeFailure(error, { isFull: fullErrors.has(code) });
}

/** Like `fileError`, for a data folder that cannot be opened. */
export function folderError(error: unknown, folder: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const reason = folderReason(code) ?? messageOf(error);
  return startFailure(error, { place: `the data folder ${folder}`, isFull: fullErrors.has(code), reason });
}

function folderReason(code: string): string | undefined {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it, or a folder above it, is a file. Choose another folder with CAIRN_DATA_DIR';
    case 'EROFS':
      return 'it is on a read-only file system. Make it writable or choose another with CAIRN_DATA_DIR';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write to it. Change its owner or mode, or choose another with CAIRN_DATA_DIR';
    default:
      return undefined;
  }
}

export function storeFailure(cause: unknown, { isFull }: { readonly isFull: boolean }): ServiceError {
  return isFull
    ? new ServiceError('storage_full', 'The disk is full; nothing was stored.', { cause })
    : new ServiceError('unavailable', 'The store failed; try again.', { cause, retryAfter: 1 });
}

/** A store that cannot be opened, as the operator sees it. */
export function startFailure(
  cause: unknown,
  { place, isFull, reason }: { readonly place: string; readonly isFull: boolean; readonly reason: string },
): ServiceError {
  return isFull
    ? new ServiceError('storage_full', `The disk of ${place} is full. Make room on it and start again.`, {
        cause,
      })
    : new ServiceError('unavailable', `Cairn cannot use ${place}: ${reason}.`, { cause });
}
