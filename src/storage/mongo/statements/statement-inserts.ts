import { type Collection, MongoBulkWriteError, type ObjectId } from 'mongodb';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { isDuplicate } from '../errors.ts';
import { repeatingDeadlocks } from '../unique-writes.ts';
import {
  arrayOf,
  type GraphOfRows,
  graphsWithout,
  onlyIn,
  projectsWith,
  type StatementCollections,
  type StatementDocument,
} from './statement-documents.ts';

type Statements = Collection<StatementDocument>;
type Documents = readonly StatementDocument[];

interface Outcome {
  readonly stored: Documents;
  /** When several writers add the same rows to a graph at once, all of them may report these. */
  readonly joined: Documents;
  /** Other writers have changed or removed these meanwhile, so they must be stored again. */
  readonly unsettled: Documents;
}

/** Inserts new documents, and adds existing ones to the graph. Idempotent. */
export async function insertOrJoin(
  statements: Statements,
  documents: Documents,
  graph: GraphOfRows | null,
): Promise<Outcome> {
  return await repeatingDeadlocks(async () => {
    const known = await insertNew(statements, documents);
    const { own, joined, unsettled } = await joinKnown(statements, known, graph);
    const others = new Set(known).difference(new Set(own));
    return { stored: documents.filter((one) => !others.has(one)), joined, unsettled };
  });
}

/**
 * Inserts in the order of ids, so that two writers cannot deadlock on servers that lock each id.
 * @returns the documents that existed.
 */
async function insertNew(statements: Statements, documents: Documents): Promise<Documents> {
  const ordered = documents.toSorted((one, other) => Buffer.compare(one._id, other._id));
  try {
    await statements.insertMany(ordered, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const problems = [error.writeErrors].flat();
    const isAcknowledged = error.result.getWriteConcernError() === undefined;
    if (!isAcknowledged || problems.length === 0 || !problems.every(isDuplicate)) throw error;
    const known = new Set(problems.map(({ index }) => index));
    return ordered.filter((_, at) => known.has(at));
  }
}

type Known = Pick<StatementDocument, '_id' | 'position'> & { readonly isMember?: boolean };

/**
 * Adds existing documents to the graph.
 * @returns also `own`: the documents that this write has stored itself, because the driver repeats a lost insert.
 */
export async function joinKnown(
  statements: Statements,
  documents: Documents,
  graph: GraphOfRows | null,
): Promise<Omit<Outcome, 'stored'> & { readonly own: Documents }> {
  const known = await findKnown(statements, documents, graph);
  const stored = ({ _id }: StatementDocument) => known.get(digestHex({ digest: _id }));
  const gone = documents.filter((one) => !stored(one));
  const lacking = documents.filter((one) => graph && stored(one) && !stored(one)?.isMember);
  const isJoined = await join(statements, lacking, graph);
  return {
    own: documents.filter((one) => stored(one)?.position.equals(one.position)),
    joined: isJoined || lacking.length > 1 ? lacking : [],
    unsettled: isJoined ? gone : [...gone, ...lacking],
  };
}

async function findKnown(statements: Statements, documents: Documents, graph: GraphOfRows | null) {
  if (documents.length === 0) return new Map<string, Known>();
  const isMember = graph && { isMember: { $in: [graph.key, arrayOf('graphs')] } };
  const options = { projection: { position: 1, ...isMember }, batchSize: documents.length + 1 };
  const found = await statements.find<Known>(among(documents), options).toArray();
  return new Map(found.map((document) => [digestHex({ digest: document._id }), document]));
}

/** @returns whether this write has added all documents. */
async function join(statements: Statements, documents: Documents, graph: GraphOfRows | null) {
  if (documents.length === 0 || graph === null) return true;
  const lacking = { ...among(documents), graphs: { $ne: graph.key } };
  const graphs = { $concatArrays: [graphsWithout([graph.key]), [graph.key]] };
  const update = { $set: { graphs, projects: projectsWith([graph.projectId]) } };
  const { modifiedCount } = await statements.updateMany(lacking, [update]);
  return modifiedCount === documents.length;
}

export function among(documents: readonly Pick<StatementDocument, '_id'>[]) {
  return { _id: { $in: documents.map(({ _id }) => _id) } };
}

type Named = Pick<StatementDocument, '_id'>;
export interface TakenOver extends Named {
  readonly graphs: readonly ObjectId[];
}
type Leaving = Pick<StatementDocument, '_id' | 'graphs' | 'projects'>;

/**
 * If a form is both verified and unverified, the verified document takes over the graphs and the unverified one is
 * removed. Every writer does this after its write, so one of them sees both documents. An unverified document that joins
 * another graph meanwhile is checked again.
 * @returns the documents whose forms were taken over, with the graphs.
 */
export async function takeOver(
  collections: StatementCollections,
  documents: readonly Named[],
): Promise<readonly TakenOver[]> {
  const { verified, unverified } = collections;
  const taken = new Map<string, ObjectId[]>();
  for (;;) {
    const leaving = await findLeaving(collections, documents);
    if (leaving.length === 0) break;
    await repeatingDeadlocks(() => verified.bulkWrite(leaving.map(takingOver), { ordered: false }));
    const unchanged = leaving.map(({ _id, graphs }) => ({ _id, ...onlyIn([graphs].flat()) }));
    const removals = unchanged.map((filter) => ({ deleteOne: { filter } }));
    await repeatingDeadlocks(() => unverified.bulkWrite(removals, { ordered: false }));
    for (const document of leaving)
      taken.set(nameOf(document), [...(taken.get(nameOf(document)) ?? []), ...[document.graphs].flat()]);
  }
  return documents.flatMap(({ _id }) => {
    const graphs = taken.get(nameOf({ _id }));
    return graphs ? [{ _id, graphs }] : [];
  });
}

async function findLeaving({ verified, unverified }: StatementCollections, documents: readonly Named[]) {
  const projection = { graphs: 1, projects: 1 };
  const found = await unverified.find<Leaving>(among(documents), { projection }).toArray();
  if (found.length === 0) return [];
  const there = await verified.find(among(found), { projection: { _id: 1 } }).toArray();
  const names = new Set(there.map(nameOf));
  return found.filter((document) => names.has(nameOf(document)));
}

function nameOf({ _id }: Named): string {
  return digestHex({ digest: _id });
}

function takingOver({ _id, graphs, projects }: Leaving) {
  const first = [graphs].flat();
  const all = { $concatArrays: [first, graphsWithout(first)] };
  const update = [{ $set: { graphs: all, projects: projectsWith([projects].flat()) } }];
  return { updateOne: { filter: { _id }, update } };
}
