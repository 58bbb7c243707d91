import type { Page, ReferencePage, StoredStatement } from '../../domain/integrity/ports.ts';
import { refuseCursor } from '../cursors.ts';
import { cursorPosition, writePositionCursor } from './position-cursors.ts';
import { endOfPositions } from './positions.ts';
import { type ReferenceGroup, referenceGroups } from './reference-groups.ts';
import { newest } from './statement-lists.ts';
import type { StatementReader } from './statement-reader.ts';
import type { DocumentScope } from './statement-scopes.ts';

/** Places that are looked into for a page. */
const groupsLooked = 50;

/** What refers to an identifier, page by page. */
export function referencePages(reader: StatementReader) {
  return async function references(
    identifier: string,
    { after, limit }: Page,
    { trusted, filter, scope }: DocumentScope,
  ): Promise<ReferencePage> {
    const cursor = (position: Uint8Array, { entry }: ReferenceGroup) =>
      writePositionCursor(position, ['references', identifier, scope.graphId, entry]);
    const found: { role: string; statement: StoredStatement }[] = [];
    let below = after === null ? null : cursorPosition(after);
    let left = limit;
    let looked = 0;
    for await (const group of referenceGroups(reader, identifier, trusted)) {
      const isFirst = looked === 0;
      if (isFirst && below && cursor(below, group) !== after) continue;
      if (left === 0 || looked === groupsLooked)
        return { references: found, next: cursor(endOfPositions, group) };
      const { documents, next } = await newest(reader, reader.whole, group.list, {
        filters: [filter],
        below,
        limit: left,
      });
      const { role, kind } = group;
      for (const statement of await reader.shown(documents, scope.visibility)) {
        const isMeant = statement.references.some((it) => it.role === role && it.identifier === identifier);
        if (isMeant && statement.kind === kind) found.push({ role, statement });
      }
      if (next) return { references: found, next: cursor(next, group) };
      left -= documents.length;
      below = null;
      looked += 1;
    }
    return looked === 0 && after !== null ? refuseCursor() : { references: found };
  };
}
