import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openReader, openWriter } from './connections.ts';
import { assertOwnFolder, lockFolder, makeFolder } from './data-folder.ts';
import { startError } from './errors.ts';
import { createSchema } from './schema.ts';
import { OperationThread } from './threads/operation-thread.ts';
import type { WriteOperations } from './writer/write-operations.ts';

export interface Database extends AsyncDisposable {
  readonly reader: DatabaseSync;
  readonly writes: OperationThread<WriteOperations>;
  /** Whether the process that had it open before was killed. */
  readonly wasInterrupted: boolean;
}

/**
 * Opens the database of a data folder for this process alone. Creates both if needed.
 * @throws ServiceError `unavailable`, `storage_full`. The message names the folder and what to do.
 */
export async function openDatabase(folder: string): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  try {
    makeFolder(folder);
    assertOwnFolder(folder);
    opened.use(lockFolder(folder));
    const file = join(folder, 'cairn.db');
    // Closing the database removes its log.
    const wasInterrupted = existsSync(`${file}-wal`);
    prepare(file, folder);
    const module = new URL('./writer/write-thread.ts', import.meta.url);
    const writes = opened.use(await OperationThread.open<WriteOperations>('writer', module, file));
    const reader = opened.use(openReader(file));
    const stack = opened.move();
    return { reader, writes, wasInterrupted, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    throw startError(error, folder);
  }
}

function prepare(file: string, folder: string): void {
  using database = openWriter(file);
  createSchema(database, folder);
}
