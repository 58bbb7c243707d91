import { messageOf, ServiceError } from '../domain/errors.ts';

const fullErrors: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** The code of a failed system call; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

/** The domain's word for a failed system call. Anything else is a defect and stays as it is. */
export function fileError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  return fullErrors.has(code)
    ? new ServiceError('storage_full', 'The disk is full; nothing was stored.', { cause: error })
    : new ServiceError('unavailable', 'The store failed; try again.', { cause: error, retryAfter: 1 });
}

/** The refusal to start on the data folder, in words for the operator. */
export function folderError(error: unknown, folder: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (fullErrors.has(code)) {
    const message = `The disk that holds the data folder ${folder} is full. Make room on it and start again.`;
    return new ServiceError('storage_full', message, { cause: error });
  }
  const message = `The data folder ${folder} cannot be used: ${folderReason(code) ?? messageOf(error)}.`;
  return new ServiceError('unavailable', message, { cause: error });
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
