import { isDeepStrictEqual } from 'node:util';
import { type Collection, ObjectId, type UpdateFilter } from 'mongodb';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { digestBytes } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Membership } from '../../../domain/integrity/statements/rows.ts';
import type { CheckedStore, IsWanted, StatementEntry } from '../../../domain/maintenance/contents.ts';
import type { Unreadable } from '../../../domain/maintenance/problems.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { microsecondsOf } from '../positions.ts';
import {
  type DescribedDocument,
  describedDocument,
  type Partition,
  type StatementDocument,
  statementCollections,
} from '../statements/statement-documents.ts';
import { among } from '../statements/statement-inserts.ts';

/** The size of a page, which is also a write of a migration. */
const pageDocuments = 200;
const pageBytes = 1 << 20;
const keysAtOnce = 4_000;
const documentsAtOnce = 128;
const unreadableReported = 1_000;
const described = [
  'rdfc',
  'kind',
  'contextSet',
  'time',
  'references',
  'roles',
  'roleNumbers',
  'associationType',
] as const;

/** The documents of a collection in the order of storing. */
export async function* statementPages(
  statements: Collection<StatementDocument>,
  partition: Partition,
  graphs: RegisteredGraphs,
  isWanted: IsWanted,
): AsyncGenerator<(StatementEntry | Unreadable)[]> {
  let page: (StatementEntry | Unreadable)[] = [];
  let bytes = 0;
  for await (const documents of inOrder(statements, isWanted)) {
    const registered = await graphs.byKey(documents.flatMap(graphKeys));
    for (const document of documents) {
      page.push(statementEntry(document, partition, registered));
      bytes += document.jcs?.length ?? 0;
    }
    if (page.length < pageDocuments && bytes < pageBytes) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  const filter = { position: { $not: { $type: 'objectId' } } } as const;
  const options = { projection: { _id: 1 }, limit: unreadableReported };
  const unordered = await translated(() => statements.find(filter, options).toArray());
  const problem = 'Its document has no position in the order of storing';
  yield [...page, ...unordered.map(({ _id }) => ({ id: nameOf(_id), problem }))];
}

/**
 * Reads keys by the index, which may be missing, and then documents by their keys. So servers that sort what they read
 * sort only keys.
 */
async function* inOrder(statements: Collection<StatementDocument>, isWanted: IsWanted) {
  const options = { projection: { position: 1 }, sort: { position: 1 }, limit: keysAtOnce } as const;
  for (let last = ObjectId.createFromTime(0); ; ) {
    const keys = await translated(() => statements.find({ position: { $gt: last } }, options).toArray());
    const wanted = keys.filter(({ _id }) => !isDigest(_id) || isWanted(_id));
    for (let at = 0; at < wanted.length; at += documentsAtOnce) {
      const some = among(wanted.slice(at, at + documentsAtOnce));
      const found = await translated(() => statements.find(some).toArray());
      yield found.sort((one, other) => Buffer.compare(one.position.id, other.position.id));
    }
    if (keys.length < keysAtOnce) return;
    last = keys.at(-1)?.position ?? last;
  }
}

function statementEntry(
  document: StatementDocument,
  partition: Partition,
  registered: ReadonlyMap<string, Membership>,
): StatementEntry | Unreadable {
  const { _id, jcs, contextSet } = document;
  if (
    !isDigest(_id) ||
    !(jcs instanceof Uint8Array) ||
    typeof contextSet !== 'string' ||
    !(document.graphs instanceof ObjectId || Array.isArray(document.graphs))
  )
    return { id: nameOf(_id), problem: 'Its document is not a statement' };
  return {
    jcsCid: makeCid(codecs.jcs, _id),
    jcs,
    contextSet,
    isTrusted: partition === 'verified',
    position: microsecondsOf(document.position),
    registrar: typeof document.registrar === 'string' ? document.registrar : null,
    graphIds: graphKeys(document).flatMap((key) => registered.get(key.toHexString())?.graphId ?? []),
    holds: (row) => isDeepStrictEqual(comparable(document), comparable(describedOf(row))),
  };
}

/** The keys of its graphs, without damaged ones. */
export function graphKeys({ graphs }: Pick<StatementDocument, 'graphs'>): ObjectId[] {
  return [graphs].flat().filter((key) => key instanceof ObjectId);
}

/** The statements among these that are stored. */
export async function storedStatements(database: Database, cids: readonly Cid[]) {
  const filter = { _id: { $in: cids.map(({ digest }) => digest) } };
  const { verified, unverified } = statementCollections(database);
  const find = (rows: typeof verified) => rows.find(filter, { projection: { _id: 1 } }).toArray();
  const found = await translated(() => Promise.all([find(verified), find(unverified)]));
  return new Set(found.flat().map(({ _id }) => nameOf(_id)));
}

function describedOf(row: StatementRow): DescribedDocument {
  return describedDocument({ ...row, rdfcDigest: row.rdfcCid.digest });
}

function comparable(document: DescribedDocument): unknown[] {
  return described.map((field) => {
    const value = document[field];
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  });
}

/** One update. It does nothing if a verified row has replaced an unverified one. */
export function statementRewriting(database: Database): CheckedStore['rewrite'] {
  return async (row) => {
    const { jcsCid, isTrusted, contextSet } = row;
    const { verified, unverified } = statementCollections(database);
    const right = describedOf(row);
    const absent = described.filter((field) => right[field] === undefined);
    const update = {
      $set: right,
      ...(absent.length > 0 && { $unset: Object.fromEntries(absent.map((field) => [field, 1])) }),
    } as UpdateFilter<StatementDocument>;
    const { matchedCount } = await translated(() =>
      (isTrusted ? verified : unverified).updateOne({ _id: jcsCid.digest, contextSet }, update),
    );
    return matchedCount === 1;
  };
}

export function nameOf(id: unknown): string {
  if (isDigest(id)) return makeCid(codecs.jcs, id).text;
  return id instanceof Uint8Array ? Buffer.from(id).toString('hex') : String(id);
}

function isDigest(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === digestBytes;
}
