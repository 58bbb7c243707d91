import { setImmediate } from 'node:timers/promises';
import { BSON, type ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { codecs, digestHex, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { PutCounts, PutOutcome, StatementRow, StatementStore } from '../../../domain/integrity/ports.ts';
import {
  PackedRows,
  referenceCount,
  type UnpackedRow,
  unpackSlice,
} from '../../../domain/integrity/statements/packed-rows.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import type { Intents } from '../log/intents.ts';
import { nextPosition } from '../positions.ts';
import {
  describedDocument,
  describedRow,
  type GraphOfRows,
  type StatementCollections,
  type StatementDocument,
  statementCollections,
  statementDocument,
} from './statement-documents.ts';
import { insertOrJoin, joinKnown, type TakenOver, takeOver } from './statement-inserts.ts';

/** The most rows and bytes in one message. It takes a few milliseconds to encode. */
const rowsAtOnce = 500;
const bytesAtOnce = 1 << 20;
const messagesAtOnce = 3;

interface PlacedRow {
  readonly row: UnpackedRow;
  readonly position: ObjectId;
}

type Change = Exclude<PutOutcome, 'known'>;
/** Of the rows that changed something, by their digest objects. */
type Outcomes = Map<Uint8Array, Change>;

export interface PutOptions {
  /** Who stores them. */
  readonly registrar: string | null;
  /** Note rows for the log of a graph. */
  readonly intents: Pick<Intents, 'note'>;
  /** Whether the graph is being imported. It is noted as a whole at the end. */
  readonly isImport: boolean;
}

/** Rows that come this long after their intent need another one, see `lateMs` of the unlogged rows. */
const slowMs = 60_000;

/**
 * Implements `StatementStore.putMany`. If a step fails, some rows may be stored, and a repeat stores the rest.
 * @param findGraph called after the rows have their positions, so that positions follow the order of the calls.
 */
export async function putStatements(
  database: Database,
  given: Iterable<StatementRow>,
  { registrar, intents, isImport }: PutOptions,
  findGraph: () => Promise<GraphOfRows | null>,
): Promise<PutCounts> {
  // Without CIDs, which are expensive to make.
  const rows = PackedRows.of(given).slices.flatMap((slice) => [...unpackSlice(slice)]);
  assertSize(rows);
  const now = database.now();
  const placed = withoutRepeats(rows).map((row) => ({ row, position: nextPosition(now) }));
  const home = { graph: await findGraph(), registrar };
  const collections = statementCollections(database);
  const outcomes: Outcomes = new Map();
  const startedAt = performance.now();
  const digests = isImport ? [] : placed.map(({ row }) => row.jcsDigest);
  const note = () => intents.note(home.graph?.key ?? null, digests);
  const noted = note();
  // It is awaited at the end. Until then the rows may fail.
  noted.catch(() => undefined);
  for (const partition of ['unverified', 'verified'] as const) {
    const ofPartition = placed.filter(({ row }) => row.isTrusted === (partition === 'verified'));
    if (ofPartition.length === 0) continue;
    const { outcomes: changed, taken } = await putPartition(collections, partition, ofPartition, home);
    for (const [digest, outcome] of changed) outcomes.set(digest, outcome);
    // In the graphs of these, they are verified from now on.
    for (const { _id, graphs } of taken) for (const graph of graphs) await intents.note(graph, [_id]);
  }
  await noted;
  if (performance.now() - startedAt > slowMs) await note();
  const counts = { stored: 0, joined: 0, known: rows.length - outcomes.size };
  for (const outcome of outcomes.values()) counts[outcome] += 1;
  return counts;
}

/** Keeps the first row of each form, and the first verified one. */
function withoutRepeats(rows: readonly UnpackedRow[]): UnpackedRow[] {
  const [verified, unverified] = [new Set<string>(), new Set<string>()];
  return rows.filter(({ jcsDigest, isTrusted }) => {
    const name = digestHex({ digest: jcsDigest });
    const isKnown = verified.has(name) || (!isTrusted && unverified.has(name));
    (isTrusted ? verified : unverified).add(name);
    return !isKnown;
  });
}

async function putPartition(
  collections: StatementCollections,
  partition: keyof StatementCollections,
  rows: readonly PlacedRow[],
  { graph, registrar }: { readonly graph: GraphOfRows | null; readonly registrar: string | null },
): Promise<{ readonly outcomes: Outcomes; readonly taken: readonly TakenOver[] }> {
  const outcomes: Outcomes = new Map();
  async function putGroup(group: readonly PlacedRow[]): Promise<void> {
    let left: readonly StatementDocument[] = group.map(({ row, position }) =>
      statementDocument(row, position, graph, registrar),
    );
    await setImmediate();
    if (partition === 'unverified') {
      // If a verified row of the form exists, it joins the graph instead.
      const { joined, unsettled } = await joinKnown(collections.verified, left, graph);
      note(outcomes, joined, 'joined');
      left = unsettled;
    }
    while (left.length > 0) {
      const { stored, joined, unsettled } = await insertOrJoin(collections[partition], left, graph);
      note(outcomes, stored, 'stored');
      note(outcomes, joined, 'joined');
      left = unsettled;
    }
  }
  for await (const _ of mapConcurrent(groupsOf(rows), messagesAtOnce, putGroup));
  const ids = rows.map(({ row }) => ({ _id: row.jcsDigest }));
  const taken = await takeOver(collections, ids);
  if (partition === 'verified') for (const { _id } of taken) outcomes.set(_id, 'joined');
  return { outcomes, taken };
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

/** Keeps the first outcome of each row. */
function note(outcomes: Outcomes, documents: readonly StatementDocument[], outcome: Change): void {
  for (const { _id } of documents) outcomes.getOrInsert(_id, outcome);
}

/** The server's limit for one document, with some room for graphs that the statement joins later. */
const mostBytes = (16 << 20) - (1 << 20);
/** Statements with fewer bytes and references always fit. */
const plainBytes = 4 << 20;
const plainReferences = 10_000;

/** @throws ServiceError `too_large` for a statement that does not fit into a document with its references. */
function assertSize(rows: readonly UnpackedRow[]): void {
  for (const row of rows) {
    if (row.jcs.length < plainBytes && referenceCount(row.references) < plainReferences) continue;
    const bytes = row.jcs.length + BSON.calculateObjectSize(describedDocument(describedRow(row)));
    if (bytes > mostBytes) throwTooLarge(row, bytes);
  }
}

function throwTooLarge({ jcsDigest }: UnpackedRow, bytes: number): never {
  throw new ServiceError(
    'too_large',
    `The statement ${makeCid(codecs.jcs, jcsDigest).text} takes ${bytes} bytes with its references, more than the ${mostBytes} that ` +
      'the database holds in one document. Divide it into several statements.',
  );
}

export function mongoStatements(
  database: Database,
  graphs: RegisteredGraphs,
  intents: Intents,
): Pick<StatementStore, 'putMany' | 'registrarOf'> {
  async function existingGraph(graphId: string | null): Promise<GraphOfRows | null> {
    if (graphId === null) return null;
    const graph = await graphs.find(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return { key: graph._id, projectId: graph.projectId };
  }
  return {
    putMany: (rows, graphId, registrar = null) =>
      translated(() =>
        putStatements(database, rows, { registrar, intents, isImport: false }, () => existingGraph(graphId)),
      ),
    async registrarOf({ digest }) {
      const { verified } = statementCollections(database);
      const options = { projection: { registrar: 1 } };
      return (await translated(() => verified.findOne({ _id: digest }, options)))?.registrar ?? null;
    },
  };
}
