import type { Place, ReferringQuery } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { translated } from '../errors.ts';
import { chooseWithin } from '../statements/search-lists.ts';
import { newest, type StatementList } from '../statements/statement-lists.ts';
import type { LightDocument, StatementReader } from '../statements/statement-reader.ts';
import type { DocumentScope } from '../statements/statement-scopes.ts';
import { entryOfPlace } from './reference-entries.ts';
import { groupsOfMany, milestonesFirst } from './reference-groups.ts';

/** Places in other kinds that are shown of an identifier with many references, and looked into at most. */
const placesShown = 32;
const placesLooked = 128;
/** Lists that are read at once. */
const listsAtOnce = 4;
/** Statements that are asked for their entries at once. */
const entriesAtOnce = 16;

/** That a statement refers to an identifier which is asked about. */
export interface Referrer {
  readonly role: string;
  readonly document: LightDocument;
}

/** What refers to an identifier from one place, newest first. */
export interface ReferringSource {
  readonly role: string;
  readonly documents: readonly LightDocument[];
  /** Whether there can be more than these. */
  readonly isLonger: boolean;
}

/** By place: the places that were asked for, then others. @param all newest first. */
export function sourcesAmong(
  all: readonly Referrer[],
  { places, beside }: ReferringQuery,
): ReferringSource[] {
  const found = Map.groupBy(all, ({ role, document: { kind } }) => placeKey({ role, kind }));
  const asked = places.flatMap((place) => shortened(found.get(placeKey(place)), place.limit));
  if (!beside) return asked;
  const others = [...found.values()].filter(
    ([first]) => first && !beside.kinds.includes(first.document.kind),
  );
  return [...asked, ...others.flatMap((referrers) => shortened(referrers, beside.limit))];
}

function shortened(referrers: readonly Referrer[] | undefined, limit: number): ReferringSource[] {
  const [first] = referrers ?? [];
  if (!referrers || !first) return [];
  const documents = referrers.slice(0, limit).map(({ document }) => document);
  return [{ role: first.role, documents, isLonger: referrers.length > limit }];
}

function placeKey({ role, kind }: Place): string {
  return `${role.length} ${role}${kind}`;
}

interface ListedPlace {
  readonly role: string;
  readonly list: StatementList;
  readonly limit: number;
}

/** The same, of an identifier to which much refers. */
export async function sourcesInLists(
  reader: StatementReader,
  identifier: string,
  query: ReferringQuery,
  scope: DocumentScope,
): Promise<ReferringSource[]> {
  const read = async ({ role, list, limit }: ListedPlace): Promise<ReferringSource> => {
    const { list: chosen, filters } = await chooseWithin(reader, list, scope);
    const wanted = { filters, below: null, limit: Math.min(limit, Math.max(query.most, 1)) };
    const { documents, next } = await newest(reader, reader.light, chosen, wanted);
    const visible = await reader.visible(documents, scope.scope.visibility);
    return { role, documents: visible, isLonger: next !== null };
  };
  const asked = mapConcurrent(placesAsked(reader, identifier, query, scope), listsAtOnce, read);
  const others = mapConcurrent(otherPlaces(reader, identifier, query, scope), listsAtOnce, read);
  return [...(await Array.fromAsync(asked)), ...(await firstShown(others))];
}

async function* placesAsked(
  reader: StatementReader,
  identifier: string,
  { places }: ReferringQuery,
  { trusted }: DocumentScope,
): AsyncGenerator<ListedPlace> {
  const entriesIn = (place: Place) => trusted.map((isTrusted) => entryOfPlace(identifier, place, isTrusted));
  const used = await usedEntries(reader, places.flatMap(entriesIn));
  for (const place of places) {
    const entries = entriesIn(place).filter((entry) => used.has(entry));
    const filter = { references: { $in: entries } };
    if (entries.length > 0)
      yield { role: place.role, list: { name: 'references', filter, isShort: false }, limit: place.limit };
  }
}

async function* otherPlaces(
  reader: StatementReader,
  identifier: string,
  { beside }: ReferringQuery,
  { trusted }: DocumentScope,
): AsyncGenerator<ListedPlace> {
  if (!beside) return;
  for await (const { role, kind, list } of groupsOfMany(reader, identifier, trusted))
    if (!beside.kinds.includes(kind)) yield { role, list, limit: beside.limit };
}

/** Those in which the reader sees anything: others do not count. The last of too many tells that there are more. */
async function firstShown(sources: AsyncIterable<ReferringSource>): Promise<ReferringSource[]> {
  const shown: ReferringSource[] = [];
  let looked = 0;
  for await (const source of sources) {
    const isShown = source.documents.length > 0 || source.isLonger;
    if (++looked > placesLooked || (isShown && shown.length === placesShown))
      return [...shown, { ...source, documents: [], isLonger: true }];
    if (isShown) shown.push(source);
  }
  return shown;
}

/** Those of the entries that any statement has. Milestones lead past those that very many have. */
async function usedEntries(
  { statements }: StatementReader,
  entries: readonly string[],
): Promise<Set<string>> {
  const unused = new Set(entries);
  for (const { among, index } of milestonesFirst) {
    while (unused.size > 0) {
      const references = { $in: [...unused] };
      const projection = { _id: 0, references: { $elemMatch: references } };
      const options = { projection, hint: index, limit: entriesAtOnce, batchSize: entriesAtOnce + 1 };
      const found = await translated(() => statements.find({ references, ...among }, options).toArray());
      for (const { references: [entry = ''] = [] } of found) unused.delete(entry);
      if (found.length === 0) break;
    }
  }
  return new Set(entries).difference(unused);
}
