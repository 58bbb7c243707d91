import { translated } from './faults.ts';
import { beginningWith, entriesOf, entryOfPlace } from './reference-entries.ts';
import { referenceGroups } from './reference-groups.ts';
import type { StatementListName } from './statement-indexes.ts';
import type { FewStatements, StatementList } from './statement-lists.ts';
import type { StatementFilter, StatementReader } from './statement-reader.ts';

/** A list of no more statements than this is read whole; one of a span of time, as nothing else leads there, of more. */
const fewStatements = 2_000;
const fewOfSpan = 20_000;
/** Kinds in which an identifier may stand for its lists to be used; more are of no help. */
const groupsUsed = 64;

/** Statements among which are all that a search asks for. */
export interface SearchList extends FewStatements {
  /** Of how many statements it may be read whole. */
  readonly most: number;
  /** To be gone through stretch by stretch where they are more; undefined when that would be of no help. */
  readonly long: () => Promise<StatementList | undefined>;
}

export function plainList(name: StatementListName, filter: StatementFilter): SearchList {
  return { index: name, filter, most: fewStatements, long: async () => ({ name, filter }) };
}

export function spanList(from: number | null, until: number | null): SearchList {
  const time = { ...(from !== null && { $gte: from }), ...(until !== null && { $lt: until }) };
  return { index: 'time', filter: { time }, most: fewOfSpan, long: async () => undefined };
}

/** Statements with an identifier in one of the roles. */
export function referringList(
  reader: StatementReader,
  identifier: string,
  roles: readonly string[],
  kind: string | null,
  trusted: readonly boolean[],
): SearchList {
  if (kind !== null) {
    const entries = roles.flatMap((role) =>
      trusted.map((isTrusted) => entryOfPlace(identifier, { role, kind }, isTrusted)),
    );
    return plainList('references', { references: { $in: entries } });
  }
  const starts = roles.flatMap((role) => trusted.map((isTrusted) => entriesOf(identifier, isTrusted, role)));
  const long = async (): Promise<StatementList | undefined> => {
    const entries: string[] = [];
    for (const role of roles) {
      for await (const { entry } of referenceGroups(reader, identifier, trusted, role)) {
        if (entries.push(entry) > groupsUsed) return undefined;
      }
    }
    return { name: 'references', filter: { references: { $in: entries } } };
  };
  const filter = { references: { $in: starts.map(beginningWith) } };
  return { index: 'references', filter, most: fewStatements, long };
}

export interface ChosenList {
  readonly list: StatementList | FewStatements;
  /** What is still to be asked of its documents. */
  readonly filters: readonly StatementFilter[];
}

/** The shortest list where that is short; otherwise the first one that can be gone through. */
export async function chooseList(reader: StatementReader, lists: readonly SearchList[]): Promise<ChosenList> {
  const chosen = (one: SearchList, list: StatementList | FewStatements) => ({
    list,
    filters: lists.filter((other) => other !== one).map(({ filter }) => filter),
  });
  const shortest = lists.length > 1 ? await shortestOf(reader, lists) : undefined;
  if (shortest) return chosen(shortest, shortest);
  for (const one of lists) {
    const list = await one.long();
    if (list) return chosen(one, list);
  }
  throw new Error('A search has a list of its scope.');
}

async function shortestOf(
  { statements }: StatementReader,
  lists: readonly SearchList[],
): Promise<SearchList | undefined> {
  const counted = lists.map(async (list) => {
    const options = { hint: list.index, limit: list.most + 1 };
    const count = await translated(() => statements.countDocuments(list.filter, options));
    return { list, count };
  });
  const [shortest] = (await Promise.all(counted))
    .filter(({ list, count }) => count <= list.most)
    .sort((one, other) => one.count - other.count);
  return shortest?.list;
}
