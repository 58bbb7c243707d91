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
  const taken: WaitingWrite[] = [];
  const settled: (() => void)[] = [];
  try {
    database.exec('BEGIN IMMEDIATE');
    for (let write: WaitingWrite | undefined = first; write; write = nextInTime()) {
      taken.push(write);
      settled.push(attempt(database, write, write === first));
    }
    database.exec('COMMIT');
    for (const settle of settled) settle();
  } catch (error) {
    // After some failures SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    for (const write of taken) write.failed(error);
  }
}

/** The first write runs without a savepoint, because SQLite copies each page that changes under one. */
function attempt(database: DatabaseSync, write: WaitingWrite, isFirst: boolean): () => void {
  if (!isFirst) database.exec('SAVEPOINT write');
  try {
    const result = write.run();
    if (!isFirst) database.exec('RELEASE write');
    return () => write.done(result);
  } catch (error) {
    if (isSqliteError(error)) throw error;
    database.exec(isFirst ? 'ROLLBACK; BEGIN IMMEDIATE' : 'ROLLBACK TO write; RELEASE write');
    return () => write.failed(error);
  }
}
