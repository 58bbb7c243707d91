import { setImmediate } from 'node:timers/promises';
import type { PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { Database } from '../database.ts';
import { repeatingDeadlocks } from '../deadlocks.ts';
import { Positions } from '../positions.ts';
import { completeKnown } from './known-statements.ts';
import { type Membership, statementCollection, statementDocument } from './statement-documents.ts';
import { type ComingStatement, insertNew } from './statement-inserts.ts';
import { demandSize } from './statement-sizes.ts';

/** Rows that go to the server in one message, by their number and bytes: making it takes a few milliseconds. */
const rowsAtOnce = 200;
const bytesAtOnce = 1 << 20;
const messagesAtOnce = 3;

/** Of this process, whatever it writes to. */
const positions = new Positions();

/** A form, and the place that it gets if it is new. */
interface PlacedRow {
  readonly row: StatementRow;
  readonly position: Uint8Array;
}

/**
 * Stores rows as `StatementStore.putMany` does. They are inserted first; those that were there are then given what
 * they lack. Each step can be repeated: when one fails, some rows may be stored, and a repeat does the rest.
 * @param findMembership asked once the rows have their places, which go by the order of the calls.
 */
export async function putStatements(
  database: Database,
  rows: readonly StatementRow[],
  findMembership: () => Promise<Membership | null>,
): Promise<PutOutcome[]> {
  demandSize(rows);
  const now = database.now().getTime();
  const placed = distinctForms(rows).map((row) => ({ row, position: positions.next(now) }));
  const membership = await findMembership();
  const outcomes = new Map<string, PutOutcome>();
  const put = (group: readonly PlacedRow[]) => putGroup(database, group, membership, outcomes);
  for await (const _ of mapConcurrent(groupsOf(placed), messagesAtOnce, put));
  return rows.map(({ jcsCid: { text } }) => {
    const outcome = outcomes.get(text) ?? 'known';
    outcomes.delete(text);
    return outcome;
  });
}

/** Each form once, in the order of their first rows: its first trusted row, or its first one. */
function distinctForms(rows: readonly StatementRow[]): StatementRow[] {
  const forms = new Map<string, StatementRow>();
  for (const row of rows) {
    const kept = forms.get(row.jcsCid.text);
    if (!kept || (row.isTrusted && !kept.isTrusted)) forms.set(row.jcsCid.text, row);
  }
  return [...forms.values()];
}

async function* groupsOf(rows: readonly PlacedRow[]): AsyncGenerator<readonly PlacedRow[]> {
  for (let first = 0; first < rows.length; ) {
    let end = first;
    for (let bytes = 0; end < rows.length && end - first < rowsAtOnce && bytes < bytesAtOnce; end += 1)
      bytes += rows[end]?.row.jcs.length ?? 0;
    yield rows.slice(first, end);
    await setImmediate();
    first = end;
  }
}

async function putGroup(
  database: Database,
  rows: readonly PlacedRow[],
  membership: Membership | null,
  outcomes: Map<string, PutOutcome>,
): Promise<void> {
  const statements = statementCollection(database);
  const coming = rows.map(({ row, position }) => ({
    row,
    document: statementDocument(row, position, membership),
  }));
  await setImmediate();
  const note = ({ row: { jcsCid } }: ComingStatement, outcome: PutOutcome) => {
    if (!outcomes.has(jcsCid.text)) outcomes.set(jcsCid.text, outcome);
  };
  for (let left: readonly ComingStatement[] = coming; left.length > 0; ) {
    const known = await repeatingDeadlocks(() => insertNew(statements, left));
    const { own, joined, unsettled } = await repeatingDeadlocks(() =>
      completeKnown(statements, known, membership),
    );
    const others = new Set(known).difference(new Set(own));
    for (const one of left) if (!others.has(one)) note(one, 'stored');
    for (const one of joined) note(one, 'joined');
    left = unsettled;
  }
}
