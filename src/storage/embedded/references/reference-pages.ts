import type { DatabaseSync } from 'node:sqlite';
import type { Page, ReferencePage, StoredStatement } from '../../../domain/integrity/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { PageRoom } from '../../page-room.ts';
import { referenceTarget } from '../index/entries.ts';
import { intersection } from '../index/postings.ts';
import { selectStatements, visibleStatement } from '../statements/statement-rows.ts';
import type { RowScope } from '../statements/statement-scopes.ts';
import { type ReferencePosition, readReferenceCursor, writeReferenceCursor } from './reference-cursors.ts';
import type { ReferenceGroup, ReferenceReads } from './reference-reads.ts';

/** What refers to an identifier, page by page. */
export function referencePages(reader: DatabaseSync, index: ReferenceReads) {
  const bySeq = selectStatements(reader, 'seq = ?');

  async function sortedGroups(target: number, { trusted }: RowScope): Promise<ReferenceGroup[]> {
    const groups: ReferenceGroup[] = [];
    for (const group of index.groups(target, trusted)) {
      groups.push(group);
      await yieldToEventLoop();
    }
    return groups.sort(byPlace);
  }

  async function* entries(identifier: string, after: ReferencePosition | null, rows: RowScope) {
    const target = referenceTarget(identifier);
    const last = after && { ...after, ...index.placeOf([after.role, after.kind]) };
    for (const group of await sortedGroups(target, rows)) {
      const order = last ? byPlace(group, last) : 1;
      const bound = last && order === 0 ? last.seq : Number.MAX_SAFE_INTEGER;
      const parts = [index.postings(target, group), ...(rows.listed ? [rows.listed] : [])];
      for (const step of order < 0 ? [] : intersection(parts, bound)) {
        yield { ...step, group };
        await yieldToEventLoop();
      }
      await yieldToEventLoop();
    }
  }

  function position({ trusted, ...place }: ReferenceGroup, seq: number): ReferencePosition {
    const [role = 0, kind = 0] = index.numbersOf(place) ?? [];
    return { trusted, role, kind, seq };
  }

  function statementAt(seq: number, identifier: string, role: string, rows: RowScope) {
    const row = rows.sees(seq) ? bySeq.get(seq) : undefined;
    const statement = row && visibleStatement(row, rows.scope.visibility);
    const isMeant = statement?.references.some((it) => it.role === role && it.identifier === identifier);
    return isMeant ? statement : undefined;
  }

  return async function references(
    identifier: string,
    { after, limit }: Page,
    rows: RowScope,
  ): Promise<ReferencePage> {
    const question = ['references', identifier, rows.scope.graphId];
    const begin = after === null ? null : readReferenceCursor(after, question);
    const references: { role: string; statement: StoredStatement }[] = [];
    const room = new PageRoom(limit);
    let last = after ?? '';
    for await (const { seq, isMember, group } of entries(identifier, begin, rows)) {
      if (!room.hasRoom()) return { references, next: last };
      const { role } = group;
      const statement = isMember ? statementAt(seq, identifier, role, rows) : undefined;
      if (statement) {
        references.push({ role, statement });
        room.take(statement);
      }
      last = writeReferenceCursor(position(group, isMember ? seq : seq + 1), question);
    }
    return { references };
  };
}

function byPlace(one: ReferenceGroup, other: ReferenceGroup): number {
  if (one.trusted !== other.trusted) return one.trusted - other.trusted;
  if (one.role !== other.role) return one.role < other.role ? -1 : 1;
  if (one.kind !== other.kind) return one.kind < other.kind ? -1 : 1;
  return 0;
}
