import type { DatabaseSync } from 'node:sqlite';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';

/** Something that was found, and how it is put right. */
export interface Found {
  problem(isRepaired: boolean): StoreProblem;
  fix(): void;
}

/** Puts right what was found, in one transaction, or leaves it. */
export function settled(writer: DatabaseSync, found: readonly Found[], repair: boolean): StoreProblem[] {
  if (repair && found.length > 0) {
    writer.exec('BEGIN IMMEDIATE');
    try {
      for (const { fix } of found) fix();
      writer.exec('COMMIT');
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      throw error;
    }
  }
  return found.map(({ problem }) => problem(repair));
}
