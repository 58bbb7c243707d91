import type { DatabaseSync } from 'node:sqlite';
import type {
  Page,
  StatementFilter,
  StatementPage,
  StoredStatement,
} from '../../../domain/integrity/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { PageRoom } from '../../page-room.ts';
import { referenceTarget } from '../index/entries.ts';
import { intersection, type Postings, union } from '../index/postings.ts';
import { timeBlockReads } from '../index/time-blocks.ts';
import type { ReferenceReads } from '../references/reference-reads.ts';
import { readSeqCursor, writeSeqCursor } from './seq-cursors.ts';
import { selectStatements, visibleStatement } from './statement-rows.ts';
import type { RowScope } from './statement-scopes.ts';

const subjectRoles = ['subject', 'credentialSubject', 'payload'];
/** Kinds in which an identifier may stand for its index to be used; more are of no help. */
const groupsUsed = 64;

/** Search of statements: each filter is a set of postings where an index has one, and all are asked of the row. */
export function statementSearch(reader: DatabaseSync, index: ReferenceReads) {
  const inTime = timeBlockReads(reader);
  const bySeq = selectStatements(reader, 'seq = ?');
  const summary = reader.prepare('SELECT trusted, kind, time FROM statements WHERE seq = ?');
  const all = reader.prepare('SELECT seq FROM statements WHERE seq < ? ORDER BY seq DESC LIMIT 1');
  const ofKind = reader.prepare(
    'SELECT seq FROM statements WHERE kind = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
  );
  const everything: Postings = { below: (seq) => seqOf(all.get(seq)) };

  /** Statements with an identifier in one of the roles; nothing when that would be of no help. */
  function referringIn(
    roles: readonly string[],
    identifier: string,
    kind: string | null,
    { trusted }: RowScope,
  ): Postings[] {
    const target = referenceTarget(identifier);
    const groups = roles.flatMap((role) =>
      kind === null
        ? [...index.groups(target, trusted, role).take(groupsUsed + 1)]
        : trusted.map((value) => ({ trusted: value, role, kind })),
    );
    if (groups.length > groupsUsed) return [];
    return [union(groups.map((group) => index.postings(target, group)))];
  }

  function postings(filter: StatementFilter, rows: RowScope): Postings[] {
    const { kind, subject, registeredBy, from, until } = filter;
    const referring = [
      ...(subject === null ? [] : referringIn(subjectRoles, subject, kind, rows)),
      ...(registeredBy === null ? [] : referringIn(['registeredBy'], registeredBy, kind, rows)),
    ];
    const kinds = kind === null ? [] : [{ below: (seq: number) => seqOf(ofKind.get(kind, seq)) }];
    const parts = [
      ...referring,
      ...(rows.listed ? [rows.listed] : []),
      ...(referring.length > 0 ? [] : kinds),
    ];
    const spans = from === null && until === null ? [] : [inTime(from, until)];
    return [...(parts.length > 0 ? parts : [everything]), ...spans];
  }

  function statementAt(seq: number, filter: StatementFilter, rows: RowScope): StoredStatement | undefined {
    const row = summary.get(seq);
    if (!row || !rows.trusted.includes(row.trusted as 0 | 1)) return undefined;
    if (!fits(filter, { kind: String(row.kind), time: row.time as number | null })) return undefined;
    const whole = rows.sees(seq) ? bySeq.get(seq) : undefined;
    const statement = whole && visibleStatement(whole, rows.scope.visibility);
    return statement && refers(filter, statement) ? statement : undefined;
  }

  return async function search(
    filter: StatementFilter,
    { after, limit }: Page,
    rows: RowScope,
  ): Promise<StatementPage> {
    const question = ['search', filter, rows.scope.graphId];
    let last = after === null ? Number.MAX_SAFE_INTEGER : readSeqCursor(after, question);
    const statements: StoredStatement[] = [];
    const room = new PageRoom(limit);
    for (const { seq, isMember } of intersection(postings(filter, rows), last)) {
      if (!room.hasRoom()) return { statements, next: writeSeqCursor(last, question) };
      const statement = isMember ? statementAt(seq, filter, rows) : undefined;
      if (statement) {
        statements.push(statement);
        room.take(statement);
      }
      last = isMember ? seq : seq + 1;
      await yieldToEventLoop();
    }
    return { statements };
  };
}

function seqOf(row: Record<string, unknown> | undefined): number | undefined {
  return row && Number(row.seq);
}

function fits({ kind, from, until }: StatementFilter, row: { kind: string; time: number | null }): boolean {
  if (kind !== null && row.kind !== kind) return false;
  if (from === null && until === null) return true;
  return row.time !== null && row.time >= (from ?? row.time) && (until === null || row.time < until);
}

function refers({ subject, registeredBy }: StatementFilter, { references }: StoredStatement): boolean {
  const has = (roles: readonly string[], identifier: string) =>
    references.some((it) => it.identifier === identifier && roles.includes(it.role));
  return (
    (subject === null || has(subjectRoles, subject)) &&
    (registeredBy === null || has(['registeredBy'], registeredBy))
  );
}
