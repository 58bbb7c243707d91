import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { noteEntry, statementEntry } from '../entries.ts';
import type { LoggedRow } from '../ports.ts';

/** Rows between two looks at the event loop. */
const rowsAtOnce = 128;

/** Something that has to be in a log. */
export interface Addition {
  /** Of a verified row; null for everything else. */
  readonly position: number | null;
  /** Its name in the log. */
  readonly thing: string;
  /** Its entry. */
  readonly bytes: Uint8Array;
  /** Whether it is left out unless the log is empty. */
  readonly isFirst?: true;
}

/** An unverified row that becomes verified is another thing. */
export function thingOfRow({ isTrusted, jcsDigest }: Pick<LoggedRow, 'isTrusted' | 'jcsDigest'>): string {
  return `${isTrusted ? 'verified' : 'unverified'}/${Buffer.from(jcsDigest).toString('base64url')}`;
}

export function entryOfRow({ isTrusted, rdfcDigest, jcsDigest }: Omit<LoggedRow, 'position'>): Uint8Array {
  return statementEntry({ rdfcDigest: isTrusted ? rdfcDigest : null, jcsDigest });
}

export function additionOf(row: LoggedRow): Addition {
  const position = row.isTrusted ? row.position : null;
  return { position, thing: thingOfRow(row), bytes: entryOfRow(row) };
}

/** Rows in the order in which they are appended: by position, so that few need a record of their own. */
export async function additionsOf(rows: readonly LoggedRow[]): Promise<Addition[]> {
  const additions: Addition[] = [];
  for (const row of rows.toSorted((one, other) => one.position - other.position)) {
    additions.push(additionOf(row));
    if (additions.length % rowsAtOnce === 0) await yieldToEventLoop();
  }
  return additions;
}

/** The first entry of a log whose statements or records are older than the log. */
export function olderNote(now: Date): Addition {
  const text =
    'The entries that follow were stored before this log began, in this order. Nothing here proves when.';
  return { position: null, thing: 'note/older', bytes: noteEntry(text, now), isFirst: true };
}
