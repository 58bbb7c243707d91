import type { DatabaseSync } from 'node:sqlite';
import { isSqliteError } from '../errors.ts';
import type { WaitingCall } from '../threads/operation-thread.ts';

/** How long a transaction accepts further writes. */
const sharedMs = 25;

/**
 * Runs writes in one transaction, with one sync. If one throws, each runs again in a transaction of its own, so that only
 * that one fails. A failure of the disk or the database rolls back all writes.
 * @param next returns the next waiting write.
 * @param settle called before each commit.
 */
export function runTogether(
  database: DatabaseSync,
  first: WaitingCall,
  next: () => WaitingCall | undefined,
  settle = () => {},
): void {
  const until = performance.now() + sharedMs;
  const taken = [first];
  try {
    database.exec('BEGIN IMMEDIATE');
    const results = [first.run()];
    while (performance.now() < until) {
      const write = next();
      if (!write) break;
      taken.push(write);
      results.push(write.run());
    }
    settle();
    database.exec('COMMIT');
    for (const [at, write] of taken.entries()) write.done(results[at]);
  } catch (error) {
    // After some failures SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    if (taken.length === 1 || isSqliteError(error)) for (const write of taken) write.failed(error);
    else for (const write of taken) runTogether(database, write, () => undefined, settle);
  }
}
