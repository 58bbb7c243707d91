import type { StatementRow } from '../ports.ts';
import type { ReferringStatement } from './rows.ts';

/** A longer `type` of an association is not shown. */
const typeLength = 100;

export function referringStatement(row: StatementRow): ReferringStatement {
  const { rdfcCid, kind, references, time, isTrusted } = row;
  return { rdfcCid, kind, references, time, isTrusted, associationType: associationType(row) };
}

/** The `type` of an association; null for other kinds. */
export function associationType({ kind, jcs }: Pick<StatementRow, 'kind' | 'jcs'>): string | null {
  return kind === 'AssociationRegistration' ? shownType(JSON.parse(Buffer.from(jcs).toString()).type) : null;
}

export function shownType(type: unknown): string | null {
  return typeof type === 'string' && type.length <= typeLength ? type : null;
}
