import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { FsckStatement, StoreCheck, Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import {
  type StatementDocument,
  saidDocument,
  statementCollection,
  statementRow,
} from '../statements/statement-documents.ts';
import { contentProblem, isDerivedRight, isDigest, withDerived } from './documents.ts';
import { pagesByKey } from './pages.ts';

/** Keys read at a time, and documents. */
const pageKeys = 2_000;
const pageDocuments = 100;
const unknownReported = 1_000;

/** Every document, in the order of their keys. */
export async function* readStatements(
  database: Database,
  numbers: GraphNumbers,
  isWanted: (digest: Uint8Array) => boolean,
): AsyncGenerator<readonly (FsckStatement | Unreadable)[]> {
  const statements = statementCollection(database);
  const read = async (ids: readonly Uint8Array[]) => {
    const found = await translated(() => statements.find({ _id: { $in: [...ids] } }).toArray());
    const entries: (FsckStatement | Unreadable)[] = [];
    for (const document of found) entries.push(await readStatement(document, numbers));
    return entries;
  };
  const options = { first: Buffer.alloc(0), limit: pageKeys, projection: { _id: 1 } };
  for await (const keys of pagesByKey(statements, options)) {
    const wanted = keys.map(({ _id }) => _id).filter((id) => !isDigest(id) || isWanted(id));
    for (let at = 0; at < wanted.length; at += pageDocuments)
      yield await read(wanted.slice(at, at + pageDocuments));
  }
  const unknownDocuments = await translated(() =>
    statements
      .find(
        { _id: { $not: { $type: 'binData' } } as never },
        { projection: { _id: 1 }, limit: unknownReported },
      )
      .toArray(),
  );
  if (unknownDocuments.length > 0)
    yield unknownDocuments.map(({ _id }) => ({ id: String(_id), problem: 'This document is no statement' }));
}

export async function readStatement(
  document: StatementDocument,
  numbers: GraphNumbers,
): Promise<FsckStatement | Unreadable> {
  const id = isDigest(document._id) ? statementRow(withDerived(document)).jcsCid.text : idText(document._id);
  const problem = isDigest(document._id) ? contentProblem(document) : 'is named by no digest';
  if (problem !== undefined) return { id, problem: `Its document ${problem}` };
  const graphs = Array.isArray(document.graphs) ? document.graphs : [];
  const registered = await numbers.registered(graphs);
  const graphIds = graphs.flatMap((number) => registered.get(number)?.graphId ?? []);
  const statement = { ...statementRow(withDerived(document)), graphIds };
  return { statement, isDerivedRight: isDerivedRight(document) };
}

function idText(id: unknown): string {
  return id instanceof Uint8Array ? Buffer.from(id).toString('hex') : String(id);
}

/** One update, unless a trusted row has come in place of an untrusted one. */
export function statementRewriting(database: Database): StoreCheck['rewrite'] {
  return async (statement: StoredStatement) => {
    const { jcsCid, isTrusted, contextSet, time } = statement;
    const said = saidDocument(statement);
    const update = await translated(() =>
      statementCollection(database).updateOne(
        { _id: jcsCid.digest, isTrusted, contextSet },
        {
          $set: { ...said, time },
          ...(said.associationType === undefined && { $unset: { associationType: 1 } }),
        },
      ),
    );
    return update.matchedCount === 1;
  };
}
