import type { Page, ReferencePage, StoredStatement } from '../../../domain/integrity/ports.ts';
import { endOfPositions } from '../positions.ts';
import { chooseWithin } from '../statements/search-lists.ts';
import { newest } from '../statements/statement-lists.ts';
import type { StatementReader } from '../statements/statement-reader.ts';
import type { DocumentScope } from '../statements/statement-scopes.ts';
import { readReferenceCursor, writeReferenceCursor } from './reference-cursors.ts';
import { entriesOf } from './reference-entries.ts';
import { type ReferenceGroup, referenceGroups } from './reference-groups.ts';

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
    const question = ['references', identifier, scope.graphId];
    const cursor = (position: Uint8Array, { entry }: ReferenceGroup) =>
      writeReferenceCursor({ entry, position }, identifier, question);
    const begin = after === null ? null : readReferenceCursor(after, identifier, question);
    const found: { role: string; statement: StoredStatement }[] = [];
    let left = limit;
    let looked = 0;
    // What becomes trusted meanwhile is told again, and not passed over.
    for await (const group of referenceGroups(reader, identifier, trusted.toReversed())) {
      const order = begin ? byEntry(group, begin, identifier) : 1;
      if (order < 0) continue;
      if (left === 0 || looked === groupsLooked)
        return { references: found, next: cursor(endOfPositions, group) };
      const below = begin && order === 0 ? begin.position : null;
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
      looked += 1;
    }
    return { references: found };
  };
}

type Entry = Pick<ReferenceGroup, 'entry'>;

/** Those of untrusted statements come first, and then as the index has them. */
function byEntry({ entry: one }: Entry, { entry: other }: Entry, identifier: string): number {
  const trusted = entriesOf(identifier, true);
  const [first, second] = [one, other].map((entry) => Number(entry.startsWith(trusted)));
  if (first !== second) return Number(first) - Number(second);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
