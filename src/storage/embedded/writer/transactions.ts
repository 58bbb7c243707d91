import type { DatabaseSync } from 'node:sqlite';
import { isSqliteError } from '../errors.ts';

/** A write that waits for a transaction. Exactly one of `done` and `failed` is called, once that is over. */
export interface WaitingWrite {
  run(): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

/** For how long a transaction takes in further writes. */
const sharedMs = 25;

/**
 * Runs writes in one transaction, with one sync. A write that refuses undoes itself alone; a failing disk or
 * database undoes them all.
 * @param next the next write that waits, if there is one.
 */
export function runTogether(
  database: DatabaseSync,
  first: WaitingWrite,
  next: () => WaitingWrite | undefined,
): void {
  const until = performance.now() + sharedMs;
  const nextInTime = () => (performance.now() < until ? next() : undefined);
  const taken = [first];
  try {
    database.exec('BEGIN IMMEDIATE');
    const settled = [attemptFirst(database, first)];
    for (let write = nextInTime(); write; write = nextInTime()) {
      taken.push(write);
      settled.push(attempt(database, write));
    }
    database.exec('COMMIT');
    for (const settle of settled) settle();
  } catch (error) {
    rollBack(database);
    for (const write of taken) write.failed(error);
  }
}

/** Does without a savepoint, under which SQLite copies every page that is changed. */
function attemptFirst(database: DatabaseSync, write: WaitingWrite): () => void {
  try {
    const result = write.run();
    return () => write.done(result);
  } catch (error) {
    if (isSqliteError(error)) throw error;
    database.exec('ROLLBACK; BEGIN IMMEDIATE');
    return () => write.failed(error);
  }
}

function attempt(database: DatabaseSync, write: WaitingWrite): () => void {
  database.exec('SAVEPOINT write');
  try {
    const result = write.run();
    database.exec('RELEASE write');
    return () => write.done(result);
  } catch (error) {
    if (isSqliteError(error)) throw error;
    database.exec('ROLLBACK TO write; RELEASE write');
    return () => write.failed(error);
  }
}

/** SQLite has rolled back by itself after some failures. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}
