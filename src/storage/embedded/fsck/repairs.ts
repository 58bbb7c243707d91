import type { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../../../domain/maintenance/fsck/ports.ts';

/** Something that was found, and how it is put right. */
export interface Found {
  fault(isMended: boolean): StoreFault;
  mend(): void;
}

/** Puts right what was found, in one transaction, or leaves it. */
export function settled(writer: DatabaseSync, found: readonly Found[], repair: boolean): StoreFault[] {
  if (repair && found.length > 0) {
    writer.exec('BEGIN IMMEDIATE');
    try {
      for (const { mend } of found) mend();
      writer.exec('COMMIT');
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      throw error;
    }
  }
  return found.map(({ fault }) => fault(repair));
}
