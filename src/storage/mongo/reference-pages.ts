import type { Page, ReferencePage, StoredStatement } from '../../domain/integrity/ports.ts';
import { refuseCursor } from '../cursors.ts';
import { cursorPosition, writePositionCursor } from './position-cursors.ts';
import { endOfPositions } from './positions.ts';
import { type ReferenceGroup, referenceGroups } from './reference-groups.ts';
import { chooseWithin } from './search-lists.ts';
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
    within: DocumentScope,
  ): Promise<ReferencePage> {
    const { trusted, scope } = within;
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
      const { list, filters } = await chooseWithin(reader, group.list, within);
      const wanted = { filters, below, limit: left };
      const { documents, next } = await newest(reader, reader.whole, list, wanted);
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
