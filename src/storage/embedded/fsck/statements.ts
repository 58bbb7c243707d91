import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { FsckStatement, StoreCheck } from '../../../domain/maintenance/fsck/ports.ts';
import { digestTarget, jcsPlace, type Sort } from '../index/entries.ts';
import { membershipReads, type Row, selectWhole, statementRow } from '../statements/statement-rows.ts';

/** Keys read at a time, and how many bytes of statements are held. */
const pageKeys = 1_000;
const pageBytes = 4 << 20;

/** Every row, in the order in which they were stored. */
export async function* readStatements(
  reader: DatabaseSync,
  sort: Sort,
  isWanted: (digest: Uint8Array) => boolean,
): AsyncGenerator<readonly FsckStatement[]> {
  const keys = reader.prepare(
    `SELECT seq, jcs_digest FROM ${sort}_rows WHERE seq > ? ORDER BY seq LIMIT ${pageKeys}`,
  );
  const bySeq = selectAny(reader, sort, 'seq = ?');
  const toStatement = statementReads(reader, sort);
  keys.setReadBigInts(true);
  let last = 0n;
  for (let found = keys.all(last); found.length > 0; found = keys.all(last)) {
    let page: FsckStatement[] = [];
    let bytes = 0;
    for (const { seq, jcs_digest } of found) {
      last = seq as bigint;
      const row = isWanted(jcs_digest as Uint8Array) ? bySeq.get(last) : undefined;
      if (row) page.push(toStatement(row));
      bytes += (row?.jcs as Uint8Array | undefined)?.length ?? 0;
      if (bytes < pageBytes) continue;
      yield page;
      [page, bytes] = [[], 0];
    }
    if (page.length > 0) yield page;
  }
}

/** Whole rows, whatever numbers stand in them: those are read as `bigint`. */
export function selectAny(reader: DatabaseSync, sort: Sort, where: string): StatementSync {
  const statements = reader.prepare(selectWhole(sort, where));
  statements.setReadBigInts(true);
  return statements;
}

/** Statements with their graphs. A row whose references cannot be read has none. */
export function statementReads(reader: DatabaseSync, sort: Sort): (row: Row) => FsckStatement {
  const memberships = membershipReads(reader);
  return (row) => {
    const isDerivedRight = pairsIn(String(row.refs)) !== undefined;
    const statement: StoredStatement = {
      ...statementRow(isDerivedRight ? row : { ...row, refs: '[]' }, sort),
      graphIds: memberships(row).map(({ graphId }) => graphId),
    };
    return { statement, isDerivedRight };
  };
}

/** What a row says it refers to; undefined when its text is damaged. */
export function pairsIn(text: string): [role: string, identifier: string][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isPair = (one: unknown) =>
      Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string');
    return Array.isArray(value) && value.every(isPair) ? (value as [string, string][]) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Corrects rows; what leads to them is rebuilt afterwards. An entry finds the row. If the entry is lost, all rows are
 * searched.
 */
export function statementRewriting(writer: DatabaseSync): StoreCheck['rewrite'] {
  return async ({ rdfcCid, kind, time, references, jcsCid: { digest }, isTrusted }: StoredStatement) => {
    const sort: Sort = isTrusted ? 'verified' : 'unverified';
    const change = `UPDATE ${sort}_rows SET rdfc_digest = ?, kind = ?, time = ?, refs = ? WHERE jcs_digest = ?`;
    const refs = JSON.stringify(references.map(({ role, identifier }) => [role, identifier]));
    const values = [rdfcCid.digest, kind, time, refs, digest];
    const indexed = `seq IN (SELECT seq FROM ${sort}_entries WHERE target = ? AND place = ${jcsPlace})`;
    const found = writer.prepare(`${change} AND ${indexed}`).run(...values, digestTarget(digest));
    return found.changes > 0 || writer.prepare(change).run(...values).changes > 0;
  };
}
