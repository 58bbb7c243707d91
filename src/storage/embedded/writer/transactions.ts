import type { DatabaseSync } from 'node:sqlite';
import { isSqliteError } from '../errors.ts';

/** A waiting write. Either `done` or `failed` is called after its transaction. */
export interface WaitingWrite {
  run(): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

/** How long a transaction accepts further writes. */
const sharedMs = 25;

/**
 * Runs writes in one transaction, with one sync. A write that throws is rolled back alone. A failure of the disk or the
 * database rolls back all writes.
 * @param next returns the next waiting write.
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

/** Runs without a savepoint, because SQLite copies each page that changes under one. */
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

/** After some failures SQLite has already rolled back. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}
