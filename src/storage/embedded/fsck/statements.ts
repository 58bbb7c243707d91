import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { everythingVisible } from '../../../domain/access/visibility.ts';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { FsckStatement, StoreCheck } from '../../../domain/maintenance/fsck/ports.ts';
import { digestTarget, jcsRole, noKind } from '../index/entries.ts';
import { type Row, selectStatements, visibleStatement } from '../statements/statement-rows.ts';

/** Keys read at a time, and how much of statements is held. */
const pageKeys = 1_000;
const pageBytes = 4 << 20;

/** Every row, in the order in which they were stored. */
export async function* readStatements(
  reader: DatabaseSync,
  isWanted: (digest: Uint8Array) => boolean,
): AsyncGenerator<readonly FsckStatement[]> {
  const keys = reader.prepare(
    `SELECT seq, jcs_digest FROM statements WHERE seq > ? ORDER BY seq LIMIT ${pageKeys}`,
  );
  const bySeq = selectAnyStatements(reader, 'seq = ?');
  keys.setReadBigInts(true);
  let last = 0n;
  for (let found = keys.all(last); found.length > 0; found = keys.all(last)) {
    let page: FsckStatement[] = [];
    let bytes = 0;
    for (const { seq, jcs_digest } of found) {
      last = seq as bigint;
      const row = isWanted(jcs_digest as Uint8Array) ? bySeq.get(last) : undefined;
      if (row) page.push(readStatement(row));
      bytes += (row?.jcs as Uint8Array | undefined)?.length ?? 0;
      if (bytes < pageBytes) continue;
      yield page;
      [page, bytes] = [[], 0];
    }
    if (page.length > 0) yield page;
  }
}

/** Statements as `selectStatements` gives them, whatever numbers stand in their rows: those are read as `bigint`. */
export function selectAnyStatements(reader: DatabaseSync, where: string): StatementSync {
  const statements = selectStatements(reader, where);
  statements.setReadBigInts(true);
  return statements;
}

/** References that are no JSON are none. */
export function readStatement(row: Row): FsckStatement {
  const isDerivedRight = isListOfPairs(String(row.refs));
  const statement = visibleStatement(isDerivedRight ? row : { ...row, refs: '[]' }, everythingVisible);
  if (!statement) throw new TypeError('There is no statement that nobody may see.');
  return { statement, isDerivedRight };
}

/** Whether a text says what a statement refers to, as it is stored. */
export function isListOfPairs(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const isPair = (one: unknown) =>
      Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string');
    return Array.isArray(value) && value.every(isPair);
  } catch {
    return false;
  }
}

/**
 * Puts rows right; what leads to them is put right afterwards. A row is found through its entry; where that is lost as
 * well, all are looked through.
 */
export function statementRewriting(writer: DatabaseSync): StoreCheck['rewrite'] {
  const change =
    'UPDATE statements SET rdfc_digest = ?1, kind = ?2, time = ?3, refs = ?4 WHERE jcs_digest = ?5';
  const update = writer.prepare(
    `${change} AND seq IN (
       SELECT seq FROM entries WHERE target = ?6 AND trusted = 1 AND role = ${jcsRole} AND kind = ${noKind}
     )`,
  );
  return async ({ rdfcCid, kind, time, references, jcsCid: { digest } }: StoredStatement) => {
    const refs = JSON.stringify(references.map(({ role, identifier }) => [role, identifier]));
    const values = [rdfcCid.digest, kind, time, refs, digest];
    if (update.run(...values, digestTarget(digest)).changes > 0) return true;
    return writer.prepare(change).run(...values).changes > 0;
  };
}
