import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { type Membership, type StatementDocument, saidDocument } from './statement-documents.ts';
import type { ComingStatement } from './statement-inserts.ts';

interface Completed {
  /** Those that this very write has stored: the driver repeats an insert whose answer was lost. */
  readonly own: readonly ComingStatement[];
  /** Those that gained the graph. Of several, others that bring them to it at the same moment may be told so, too. */
  readonly joined: readonly ComingStatement[];
  /** Those that somebody else changed or took away meanwhile: they are to be put again. */
  readonly unsettled: readonly ComingStatement[];
}

type Known = Pick<StatementDocument, '_id' | 'isTrusted' | 'position'> &
  Partial<Pick<StatementDocument, 'graphs'>>;

/** Gives rows that are there the graph, and what a trusted row says in place of what an untrusted one said. */
export async function completeKnown(
  statements: Collection<StatementDocument>,
  rows: readonly ComingStatement[],
  membership: Membership | null,
): Promise<Completed> {
  const known = await find(statements, rows, membership);
  const stored = ({ row }: ComingStatement) => known.get(digestHex(row.jcsCid));
  const gone = rows.filter((one) => !stored(one));
  const doubted = rows.filter((one) => one.row.isTrusted && stored(one)?.isTrusted === false);
  const isReplaced = await replace(statements, doubted);
  const lacking = rows.filter((one) => membership && stored(one) && !stored(one)?.graphs);
  const isJoined = await join(statements, lacking, membership);
  return {
    own: rows.filter((one) => isSame(stored(one)?.position, one.document.position)),
    joined: isJoined || lacking.length > 1 ? lacking : [],
    unsettled: [...new Set([...gone, ...(isReplaced ? [] : doubted), ...(isJoined ? [] : lacking)])],
  };
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

async function find(
  statements: Collection<StatementDocument>,
  rows: readonly ComingStatement[],
  membership: Membership | null,
): Promise<Map<string, Known>> {
  if (rows.length === 0) return new Map();
  const graphs = membership && { graphs: { $elemMatch: { $eq: membership.number } } };
  const options = { projection: { isTrusted: 1, position: 1, ...graphs }, batchSize: rows.length + 1 };
  const found = await statements.find<Known>(named(rows), options).toArray();
  return new Map(found.map((document) => [digestHex({ digest: document._id }), document]));
}

/** @returns whether all of them were there and untrusted. */
async function replace(
  statements: Collection<StatementDocument>,
  rows: readonly ComingStatement[],
): Promise<boolean> {
  if (rows.length === 0) return true;
  const updates = rows.map(
    ({ row, document }): AnyBulkWriteOperation<StatementDocument> => ({
      updateOne: {
        filter: { _id: document._id, isTrusted: false },
        update: { $set: saidDocument(row) },
      },
    }),
  );
  return (await statements.bulkWrite(updates, { ordered: false })).matchedCount === rows.length;
}

/** @returns whether all of them gained the graph by this. */
async function join(
  statements: Collection<StatementDocument>,
  rows: readonly ComingStatement[],
  membership: Membership | null,
): Promise<boolean> {
  if (rows.length === 0 || membership === null) return true;
  const { number, projectId } = membership;
  const { modifiedCount } = await statements.updateMany(
    { ...named(rows), graphs: { $ne: number } },
    { $addToSet: { graphs: number, projects: projectId } },
  );
  return modifiedCount === rows.length;
}

function named(rows: readonly ComingStatement[]): Filter<StatementDocument> {
  return { _id: { $in: rows.map(({ document }) => document._id) } };
}
