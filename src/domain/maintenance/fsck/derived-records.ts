import type { z } from 'zod';
import type { Collection } from '../../collections/collection.ts';
import { type StateRecord, stateRecords } from '../../control-plane/gateway/runtime-records.ts';
import { stateBlobs, stateBlobsOf } from '../../control-plane/gateway/state-blobs.ts';
import { jcs } from '../../integrity/identification/jcs.ts';
import { cidIn } from '../../integrity/identifiers/cid.ts';
import { uuidIn } from '../../integrity/identifiers/identifiers.ts';
import { nameless } from '../../integrity/names/index-again.ts';
import { nameRecords } from '../../integrity/names/name-records.ts';
import { recordsOf } from '../../integrity/names/naming.ts';
import type { Graph } from '../../integrity/ports.ts';
import { retractionsIn } from '../../integrity/retractions/keep.ts';
import { retractions } from '../../integrity/retractions/retraction-records.ts';
import { entriesOfGraph, entriesOfName } from '../../integrity/search/indexing.ts';
import { groupOf, searchEntries } from '../../integrity/search/search-entries.ts';
import { signatures } from '../../integrity/signatures/signatures.ts';
import { isObject } from '../../json/is-object.ts';
import type { CheckedStore, RecordEntry } from '../contents.ts';
import {
  orphan,
  type ProblemKind,
  repairable,
  type StoreProblem,
  type Unreadable,
  unfinished,
} from '../problems.ts';
import type { VerifiedStatement } from '../verifier.ts';
import type { FsckRun } from './run.ts';

type Run = Pick<FsckRun, 'store' | 'repair'>;

interface Made<Shape extends z.ZodObject> {
  readonly records: readonly z.output<Shape>[];
  /** Records that the sources do not give, and what is wrong if they are there. */
  readonly unwanted?: readonly Unreadable[];
}

/** Records that follow from what else is stored. fsck makes them again as they were made at first, and compares. */
export interface ComparedRecords<Source, Shape extends z.ZodObject = z.ZodObject> {
  readonly kind: ProblemKind;
  readonly declared: Collection<Shape, 'key'>;
  make(store: CheckedStore, sources: readonly Source[]): Promise<Made<Shape>>;
  /** The part of a record that follows from its source. Default: all of it. */
  readonly compared?: (record: z.output<Shape>) => unknown;
  /** Whether an interrupted request has left a stored record unfinished. Default: it never does. */
  readonly isBegun?: (known: z.output<Shape>, record: z.output<Shape>) => boolean;
  /** What is wrong with the index. */
  readonly says: Readonly<Record<'missing' | 'other', string>>;
}

export interface DerivedRecords<Source, Shape extends z.ZodObject = z.ZodObject>
  extends ComparedRecords<Source, Shape> {
  /** The ids among these of records whose source is stored. */
  withSource(store: CheckedStore, entries: readonly RecordEntry[]): Promise<ReadonlySet<string>>;
  readonly says: Readonly<Record<'missing' | 'other' | 'orphan', string>>;
}

/** Compares what these sources give with what is stored. */
export async function* compareDerived<Source, Shape extends z.ZodObject>(
  { store, repair }: Run,
  { kind, declared, make, compared = (record) => record, isBegun, says }: ComparedRecords<Source, Shape>,
  sources: readonly Source[],
): AsyncGenerator<StoreProblem> {
  const { records, unwanted = [] } = await make(store, sources);
  const idOf = (record: object) => String((record as Record<string, unknown>)[declared.key]);
  const textOf = (record: z.output<Shape>) => jcs(compared(record));
  const stored = await storedAmong(store, declared, [...records.map(idOf), ...unwanted.map(({ id }) => id)]);
  for (const record of records) {
    const known = stored.get(idOf(record));
    if (known && textOf(known) === textOf(record)) continue;
    if (repair) await store.putRecord(declared, record);
    if (known && !isBegun?.(known, record)) yield repairable(kind, idOf(record), says.other, { repair });
    else yield unfinished(kind, idOf(record), says.missing, { repair });
  }
  for (const { id, problem } of unwanted) {
    if (!stored.has(id)) continue;
    if (repair) await store.removeRecord(declared, id);
    yield repairable(kind, id, problem, { repair });
  }
}

/** Finds records whose source is not stored. */
export async function* orphanedRecords<Source, Shape extends z.ZodObject>(
  { store, repair }: Run,
  { kind, declared, withSource, says }: DerivedRecords<Source, Shape>,
): AsyncGenerator<StoreProblem> {
  for await (const page of store.records(declared)) {
    const known = await withSource(store, page);
    for (const { id } of page) {
      if (known.has(id)) continue;
      if (repair) await store.removeRecord(declared, id);
      yield orphan(kind, id, says.orphan, { repair });
    }
  }
}

async function storedAmong<Shape extends z.ZodObject>(
  store: CheckedStore,
  declared: Collection<Shape, 'key'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, z.output<Shape>>> {
  if (ids.length === 0) return new Map();
  const found = await store.of(declared).among('key', ids, 1);
  return new Map(found.flatMap(([record], at) => (record ? [[ids[at] ?? '', record] as const] : [])));
}

/** The names that statements and their documents give. */
export const derivedNames: DerivedRecords<VerifiedStatement, typeof nameRecords.shape> = {
  kind: 'name',
  declared: nameRecords,
  async make(store, statements) {
    const placed = statements.map(({ row, entry: { position } }) => ({ row, position }));
    const { blobs } = store;
    const records = await recordsOf({ blobs, signatures: store.of(signatures) }, placed);
    const rows = statements.map(({ row }) => row);
    const problem = 'The index has a name that its document does not give';
    const unwanted = (await nameless({ blobs }, rows, records)).map((id) => ({ id, problem }));
    return { records, unwanted };
  },
  // A statement that is stored twice has two places. Only one of them remains after a repair.
  compared: ({ newestFirst: _, ...rest }) => rest,
  withSource: carried(({ id }) => id),
  says: {
    missing: 'The index has no name for its subject yet',
    other: 'The index has another name for its subject',
    orphan: 'No statement gives this name',
  },
};

/** What things are found by. */
export const derivedSearchEntries: DerivedRecords<VerifiedStatement | Graph, typeof searchEntries.shape> = {
  kind: 'search-entry',
  declared: searchEntries,
  async make(store, sources) {
    const graphs = sources
      .filter((source) => 'graphId' in source)
      .filter(({ graphId }) => uuidIn(graphId) !== undefined);
    const statements = sources.filter((source) => 'row' in source).filter(({ row }) => row.isTrusted);
    const { records: names } = await derivedNames.make(store, statements);
    const entryOf = new Map(statements.map(({ row, entry }) => [row.jcsCid.text, entry]));
    const made = await Array.fromAsync(names, async (name) => {
      const { graphIds = [] } = entryOf.get(name.id) ?? {};
      const found = await Array.fromAsync(graphIds, (graphId) => store.graph(graphId));
      const projects = found.flatMap((graph) => (graph ? graph.projectId : []));
      return entriesOfName(name, { id: name.id, order: 0 - name.newestFirst, projects });
    });
    const order = store.now().getTime() * 1_000;
    // A damaged graph may have no name, which its own check reports.
    const named = graphs.filter(({ name }) => typeof name === 'string');
    const records = [...made.flat(), ...named.flatMap((graph) => entriesOfGraph(graph, order))];
    return { records: [...new Map(records.map((record) => [record.id, record])).values()] };
  },
  // Any of the statements that give the same name can have made it, or the graph of that name, which shares their entry.
  compared: ({ project, group, subject, folded }) => {
    const isShared = group === 'graphs' && subject.startsWith('urn:uuid:');
    return [project, isShared ? groupOf(subject) : group, subject, folded];
  },
  async withSource(store, entries) {
    const isGraph = ({ record }: RecordEntry) => isObject(record) && record.statement === null;
    const ofStatements = carried(({ record }) => (isObject(record) ? record.statement : undefined));
    const known = await ofStatements(
      store,
      entries.filter((entry) => !isGraph(entry)),
    );
    const graphs = await Array.fromAsync(entries.filter(isGraph), async ({ id, record }) => {
      const graphId = uuidIn(String(isObject(record) ? record.subject : ''));
      return graphId !== undefined && (await store.graph(graphId)) ? [id] : [];
    });
    return new Set([...known, ...graphs.flat()]);
  },
  says: {
    missing: 'The index of the search does not have it yet',
    other: 'The index of the search has something else for it',
    orphan: 'Nothing gives this entry of the search',
  },
};

/** What retractions withdraw, in the names of their DIDs and of those who registered them. */
export const derivedRetractions: DerivedRecords<VerifiedStatement, typeof retractions.shape> = {
  kind: 'retraction',
  declared: retractions,
  async make(store, statements) {
    const stored = statements.map(({ row, entry: { registrar } }) => ({ row, registrar }));
    return { records: await retractionsIn(store.of(signatures), stored, Date.now()) };
  },
  compared: ({ subject, reason, time, withdrawn }) => [subject, reason, time, withdrawn],
  withSource: carried(({ record }) => (isObject(record) ? record.carrier : undefined)),
  says: {
    missing: 'The index does not have it yet',
    other: 'The index has other facts about it',
    orphan: 'No stored statement withdraws this',
  },
};

/** Which states came with the bytes of a blob. */
export const derivedStateBlobs: DerivedRecords<StateRecord, typeof stateBlobs.shape> = {
  kind: 'index',
  declared: stateBlobs,
  make: async (_, states) => ({ records: stateBlobsOf(states) }),
  async withSource(store, entries) {
    const ids = entries.map(({ record }) => String(isObject(record) ? record.stateId : ''));
    const states = await store.of(stateRecords).among('key', ids, 1);
    return new Set(entries.flatMap(({ id }, at) => (states[at]?.length ? id : [])));
  },
  says: {
    missing: 'The index of state blobs does not have it yet',
    other: 'The index of state blobs has other facts about it',
    orphan: 'No stored state came with this blob',
  },
};

/** @param carrierOf the `jcs_cid` of the statement that a record follows from. */
function carried(carrierOf: (entry: RecordEntry) => unknown): DerivedRecords<unknown>['withSource'] {
  return async (store, entries) => {
    const cids = entries.map((entry) => cidIn(String(carrierOf(entry))));
    const known = await store.hasStatements(cids.filter((cid) => cid !== undefined));
    return new Set(entries.flatMap(({ id }, at) => (known.has(cids[at]?.text ?? '') ? id : [])));
  };
}
