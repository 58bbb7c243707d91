import { setImmediate } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { Database } from '../database.ts';
import { nextPosition } from '../positions.ts';
import {
  type GraphOfRows,
  type StatementCollections,
  type StatementDocument,
  statementCollections,
  statementDocument,
} from './statement-documents.ts';
import { insertOrJoin, joinKnown } from './statement-inserts.ts';
import { demandSize } from './statement-sizes.ts';
import { takeOver } from './verified-takeover.ts';

/** Rows and bytes in one message, which is made in a few milliseconds. */
const rowsAtOnce = 200;
const bytesAtOnce = 1 << 20;
const messagesAtOnce = 3;

interface PlacedRow {
  readonly row: StatementRow;
  readonly position: ObjectId;
}

/** By the digests of forms, as hexadecimal digits. */
type Outcomes = Map<string, PutOutcome>;

/**
 * Stores rows as `StatementStore.putMany` does. Each step can be repeated: if one fails, some rows may be stored, and
 * a repeat stores the rest.
 * @param findGraph called once the rows have their positions, which follow the order of the calls.
 */
export async function putStatements(
  database: Database,
  given: Iterable<StatementRow>,
  findGraph: () => Promise<GraphOfRows | null>,
): Promise<PutOutcome[]> {
  const rows = [...given];
  demandSize(rows);
  const now = database.now();
  const placed = withoutRepeats(rows).map((row) => ({ row, position: nextPosition(now) }));
  const graph = await findGraph();
  const collections = statementCollections(database);
  async function putAll(put: Put, some: readonly PlacedRow[]): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const putGroup = async (group: readonly PlacedRow[]) => {
      const documents = group.map(({ row, position }) => statementDocument(row, position, graph));
      await setImmediate();
      await put(collections, documents, graph, outcomes);
    };
    for await (const _ of mapConcurrent(groupsOf(some), messagesAtOnce, putGroup));
    return outcomes;
  }
  const ofSort = (isTrusted: boolean) => placed.filter(({ row }) => row.isTrusted === isTrusted);
  const unverified = await putAll(putUnverified, ofSort(false));
  const verified = await putAll(putVerified, ofSort(true));
  return rows.map((row) => takeOutcome(row.isTrusted ? verified : unverified, digestHex(row.jcsCid)));
}

/** The rows that can change something: the first one of each form, and the first verified one. */
function withoutRepeats(rows: readonly StatementRow[]): StatementRow[] {
  const [verified, unverified] = [new Set<string>(), new Set<string>()];
  return rows.filter(({ jcsCid: { text }, isTrusted }) => {
    const isKnown = verified.has(text) || (!isTrusted && unverified.has(text));
    (isTrusted ? verified : unverified).add(text);
    return !isKnown;
  });
}

/** Only the first row of a form has the outcome. */
function takeOutcome(outcomes: Outcomes, form: string): PutOutcome {
  const outcome = outcomes.get(form) ?? 'known';
  outcomes.delete(form);
  return outcome;
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

type Put = (
  collections: StatementCollections,
  documents: readonly StatementDocument[],
  graph: GraphOfRows | null,
  outcomes: Outcomes,
) => Promise<void>;

const putVerified: Put = async (collections, documents, graph, outcomes) => {
  await putInto(collections.verified, documents, graph, outcomes);
  for (const form of await takeOver(collections, documents)) outcomes.set(form, 'joined');
};

/** Unverified rows whose forms are verified only add the verified ones to the graph. */
const putUnverified: Put = async (collections, documents, graph, outcomes) => {
  const { joined, unsettled } = await joinKnown(collections.verified, documents, graph);
  note(outcomes, joined, 'joined');
  await putInto(collections.unverified, unsettled, graph, outcomes);
  await takeOver(collections, unsettled);
};

async function putInto(
  collection: StatementCollections['verified'],
  documents: readonly StatementDocument[],
  graph: GraphOfRows | null,
  outcomes: Outcomes,
): Promise<void> {
  for (let left = documents; left.length > 0; ) {
    const { stored, joined, unsettled } = await insertOrJoin(collection, left, graph);
    note(outcomes, stored, 'stored');
    note(outcomes, joined, 'joined');
    left = unsettled;
  }
}

/** The first outcome of a form counts. */
function note(outcomes: Outcomes, documents: readonly StatementDocument[], outcome: PutOutcome): void {
  for (const { _id } of documents) outcomes.getOrInsert(digestHex({ digest: _id }), outcome);
}
