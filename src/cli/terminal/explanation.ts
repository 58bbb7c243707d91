import { CommanderError } from 'commander';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { SettingsError } from '../../platform/settings/settings.ts';
import { exitCodes, Failure } from './failure.ts';

export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ServiceError && error.retryAfter !== undefined) return exitCodes.unreachable;
  const isConfiguration =
    error instanceof SettingsError || error instanceof ServiceError || isSystemError(error);
  return isConfiguration ? exitCodes.usage : exitCodes.no;
}

/** The text for the user: sentences for expected errors, a stack for bugs. */
export function explanationOf(error: unknown): string {
  if (error instanceof CommanderError) return '';
  if (error instanceof SettingsError) return error.problems.map((problem) => `${problem}\n`).join('');
  if (error instanceof Failure || error instanceof ServiceError) return `${error.message}\n`;
  if (isSystemError(error)) return `${systemError(error)}\n`;
  return `Something failed inside cairn: ${error instanceof Error ? error.stack : messageOf(error)}\n`;
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  EISDIR: 'is a folder',
  ENOTDIR: 'is inside something that is not a folder',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the file system is read-only',
  ELOOP: 'is a link that leads in a circle',
};

function systemError({ code = '', path, syscall, message }: NodeJS.ErrnoException): string {
  // Node says so of a folder that it should make with those above it.
  if (code === 'ENOENT' && syscall === 'mkdir' && path)
    return `${path} cannot be made. Perhaps the file system is read-only.`;
  if (code === 'EEXIST' && syscall === 'mkdir' && path) return `${path} is not a folder.`;
  const isUnreadableName = code === 'ENOENT' && path?.includes('\ufffd');
  const problem = isUnreadableName ? 'has a name that is not UTF-8. Rename it' : systemErrors[code];
  if (problem && path) return `${path} ${problem}.`;
  // Node does not say which one.
  if (code === 'EISDIR') return 'One of the given files is a folder.';
  return code === 'ENOSPC' ? 'The disk is full.' : message;
}
