import type { DatabaseSync } from 'node:sqlite';
import { everythingVisible } from '../../domain/access.ts';
import type { AuditedStatement, StoreAudit } from '../../domain/integrity/audit-ports.ts';
import type { StoredStatement } from '../../domain/integrity/ports.ts';
import { type Row, selectStatements, visibleStatement } from './statement-rows.ts';

/** Keys read at a time, and how much of statements is held. */
const pageKeys = 1_000;
const pageBytes = 4 << 20;

/** Every row, in the order in which they were stored. */
export async function* auditedStatements(
  reader: DatabaseSync,
  isWanted: (digest: Uint8Array) => boolean,
): AsyncGenerator<readonly AuditedStatement[]> {
  const keys = reader.prepare(
    `SELECT seq, jcs_digest FROM statements WHERE seq > ? ORDER BY seq LIMIT ${pageKeys}`,
  );
  const bySeq = selectStatements(reader, 'seq = ?');
  let last = 0;
  for (let found = keys.all(last); found.length > 0; found = keys.all(last)) {
    let page: AuditedStatement[] = [];
    let bytes = 0;
    for (const { seq, jcs_digest } of found) {
      last = Number(seq);
      const row = isWanted(jcs_digest as Uint8Array) ? bySeq.get(last) : undefined;
      if (row) page.push(auditedStatement(row));
      bytes += (row?.jcs as Uint8Array | undefined)?.length ?? 0;
      if (bytes < pageBytes) continue;
      yield page;
      [page, bytes] = [[], 0];
    }
    if (page.length > 0) yield page;
  }
}

/** References that are no JSON are none. */
export function auditedStatement(row: Row): AuditedStatement {
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

/** Puts rows right; what leads to them is put right afterwards. */
export function statementRewriting(writer: DatabaseSync): StoreAudit['rewrite'] {
  const update = writer.prepare(
    'UPDATE statements SET rdfc_digest = ?, kind = ?, time = ?, refs = ? WHERE jcs_digest = ?',
  );
  return async ({ rdfcCid, kind, time, references, jcsCid }: StoredStatement) => {
    const refs = JSON.stringify(references.map(({ role, identifier }) => [role, identifier]));
    return update.run(rdfcCid.digest, kind, time, refs, jcsCid.digest).changes === 1;
  };
}
