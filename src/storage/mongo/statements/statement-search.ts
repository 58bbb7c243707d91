import type { Page, StatementFilter as Search, StatementPage } from '../../../domain/integrity/ports.ts';
import { readPositionCursor, writePositionCursor } from '../position-cursors.ts';
import { chooseList, plainList, referringList, type SearchList, spanList } from './search-lists.ts';
import { newest } from './statement-lists.ts';
import type { StatementReader } from './statement-reader.ts';
import type { DocumentScope } from './statement-scopes.ts';

const subjectRoles = ['subject', 'credentialSubject', 'payload'];
const actorRoles = ['registeredBy'];

/** Search of statements: along one list, whose documents are asked for everything. */
export function statementSearch(reader: StatementReader) {
  return async function search(
    asked: Search,
    { after, limit }: Page,
    scope: DocumentScope,
  ): Promise<StatementPage> {
    const question = ['search', asked, scope.scope.graphId];
    const below = after === null ? null : readPositionCursor(after, question);
    const { list, filters } = await chooseList(reader, listsFor(reader, asked, scope));
    const wanted = { filters: [scope.filter, ...filters], below, limit };
    const { documents, next } = await newest(reader, reader.whole, list, wanted);
    return {
      statements: await reader.shown(documents, scope.scope.visibility),
      ...(next && { next: writePositionCursor(next, question) }),
    };
  };
}

/** A list for each thing that is asked, the one that is likely to be short first. */
function listsFor(
  reader: StatementReader,
  { kind, subject, registeredBy, from, until }: Search,
  { trusted, list: { name, filter } }: DocumentScope,
): SearchList[] {
  const lists: SearchList[] = [];
  if (subject !== null) lists.push(referringList(reader, subject, subjectRoles, kind, trusted));
  if (registeredBy !== null) lists.push(referringList(reader, registeredBy, actorRoles, kind, trusted));
  if (from !== null || until !== null) lists.push(spanList(from, until));
  if (kind !== null) lists.push(plainList('kind', { kind }));
  const ofScope = plainList(name, filter);
  return name === 'graphs' ? [ofScope, ...lists] : [...lists, ofScope];
}
