import type { Collection, UpdateFilter } from 'mongodb';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { FsckStatement, StoreCheck, Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import {
  type DescribedDocument,
  describedDocument,
  type StatementDocument,
  statementCollections,
  statementRow,
} from '../statements/statement-documents.ts';
import { contentProblem, isDerivedRight, isDigest, keysIn, withDerived } from './documents.ts';
import { pagesByKey } from './pages.ts';

const pageKeys = 2_000;
const pageDocuments = 100;
const unknownReported = 1_000;
const optionalFields = ['roles', 'roleNumbers', 'associationType'] as const;

/** Every document of a collection, in the order of their keys. */
export async function* readStatements(
  statements: Collection<StatementDocument>,
  isTrusted: boolean,
  graphs: RegisteredGraphs,
  isWanted: (digest: Uint8Array) => boolean,
): AsyncGenerator<readonly (FsckStatement | Unreadable)[]> {
  const options = { first: Buffer.alloc(0), limit: pageKeys, projection: { _id: 1 } };
  for await (const keys of pagesByKey(statements, options)) {
    const wanted = keys.map(({ _id }) => _id).filter((id) => !isDigest(id) || isWanted(id));
    for (let at = 0; at < wanted.length; at += pageDocuments) {
      const ids = wanted.slice(at, at + pageDocuments);
      const found = await translated(() => statements.find({ _id: { $in: ids } }).toArray());
      yield await Promise.all(found.map((document) => readStatement(document, isTrusted, graphs)));
    }
  }
  const notBytes = { _id: { $not: { $type: 'binData' } } as never };
  const unknown = await translated(() =>
    statements.find(notBytes, { projection: { _id: 1 }, limit: unknownReported }).toArray(),
  );
  if (unknown.length > 0)
    yield unknown.map(({ _id }) => ({ id: String(_id), problem: 'This document is no statement' }));
}

export async function readStatement(
  document: StatementDocument,
  isTrusted: boolean,
  graphs: RegisteredGraphs,
): Promise<FsckStatement | Unreadable> {
  const row = statementRow(withDerived(document), isTrusted);
  const id = isDigest(document._id) ? row.jcsCid.text : Buffer.from(document._id).toString('hex');
  const problem = isDigest(document._id) ? contentProblem(document) : 'is not named by a digest';
  if (problem !== undefined) return { id, problem: `Its document ${problem}` };
  const keys = keysIn(document.graphs);
  const registered = await graphs.byKey(keys);
  const graphIds = keys.flatMap((key) => registered.get(key.toHexString())?.graphId ?? []);
  return { statement: { ...row, graphIds }, isDerivedRight: isDerivedRight(document) };
}

/** One update, unless a verified row has replaced an unverified one. */
export function statementRewriting(database: Database): StoreCheck['rewrite'] {
  return async (statement: StoredStatement) => {
    const { jcsCid, isTrusted, contextSet } = statement;
    const { verified, unverified } = statementCollections(database);
    const described: DescribedDocument = describedDocument(statement);
    const absent = optionalFields.filter((field) => described[field] === undefined);
    const update = {
      $set: described,
      ...(absent.length > 0 && { $unset: Object.fromEntries(absent.map((field) => [field, 1])) }),
    } as UpdateFilter<StatementDocument>;
    const { matchedCount } = await translated(() =>
      (isTrusted ? verified : unverified).updateOne({ _id: jcsCid.digest, contextSet }, update),
    );
    return matchedCount === 1;
  };
}
