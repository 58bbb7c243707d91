import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
import { isSqliteError } from './errors.ts';

const busy = 5;

/** Creates the folder for its owner only, or checks that it is writable. */
export function makeFolder(folder: string): void {
  makeParents(resolve(folder));
  // The separator at the end gives files an error of their own, ENOTDIR.
  accessSync(join(folder, '/'), constants.R_OK | constants.W_OK | constants.X_OK);
}

const ownFiles = ['cairn.db', 'lock.db'];
/** What may lie in a new data folder: the key of the service, and what file systems make. */
const harmless = ['signing-key.json', 'lost+found'];

/**
 * A store removes files in its folder that it does not know, so it never begins in a folder of something else.
 * @throws ServiceError `unavailable`.
 */
export function assertOwnFolder(folder: string): void {
  const names = readdirSync(folder);
  if (ownFiles.some((name) => names.includes(name))) return;
  const foreign = names.find((name) => !harmless.includes(name));
  if (foreign !== undefined)
    throw new ServiceError(
      'unavailable',
      `The folder ${folder} has files and is not a store of Cairn: it contains "${foreign}" and no cairn.db. ` +
        'Choose an empty or new folder with CAIRN_DATA_DIR or --data-dir. To restore a backup, copy its cairn.db, too.',
    );
}

/** Recursive `mkdirSync` never returns on file systems that refuse folders, such as /proc. */
function makeParents(folder: string): void {
  if (existsSync(folder)) return;
  makeParents(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * Locks the folder until disposed of. The kernel releases the lock when the process ends. A second lock is refused, even
 * in the same process.
 * @throws ServiceError `unavailable`.
 */
export function lockFolder(folder: string): Disposable {
  const file = join(folder, 'lock.db');
  createFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isSqliteError(error) && (error.errcode & 0xff) === busy) throwSecondProcess(folder, error);
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Creates the file for a clear system error. An existing file is not opened, because closing it would drop its locks. */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function throwSecondProcess(folder: string, cause: unknown): never {
  throw new ServiceError(
    'unavailable',
    `The data folder ${folder} is in use by another Cairn. Stop that one, or choose another folder with ` +
      'CAIRN_DATA_DIR. An embedded store serves one process at a time.',
    { cause },
  );
}
