import { translated } from '../errors.ts';
import { beginningWith, entriesOf, entryOfPlace } from '../references/reference-entries.ts';
import { referenceGroups } from '../references/reference-groups.ts';
import type { StatementListName } from './statement-indexes.ts';
import type { StatementList } from './statement-lists.ts';
import { allOf, type StatementFilter, type StatementReader } from './statement-reader.ts';
import type { DocumentScope } from './statement-scopes.ts';

/** A list of no more milestones than this is read whole; one of a span of time, as nothing else leads there, of more. */
const fewMilestones = 1;
const fewOfSpan = 20;
/** Kinds in which an identifier may stand for its lists to be used; more are of no help. */
const groupsUsed = 64;
const milestonesCounted = 1_000;

/** Statements among which are all that a search asks for. */
export interface SearchList {
  readonly name: StatementListName;
  readonly filter: StatementFilter;
  /** With how many milestones it is read whole. */
  readonly few: number;
  /** To be gone through stretch by stretch where it has more; undefined when that would be of no help. */
  readonly long: () => Promise<StatementList | undefined>;
}

export function plainList(name: StatementListName, filter: StatementFilter): SearchList {
  return { name, filter, few: fewMilestones, long: async () => ({ name, filter, isShort: false }) };
}

export function spanList(from: number | null, until: number | null): SearchList {
  const time = { ...(from !== null && { $gte: from }), ...(until !== null && { $lt: until }) };
  return { name: 'time', filter: { time }, few: fewOfSpan, long: async () => undefined };
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
    return { name: 'references', filter: { references: { $in: entries } }, isShort: false };
  };
  const filter = { references: { $in: starts.map(beginningWith) } };
  return { name: 'references', filter, few: fewMilestones, long };
}

export interface ChosenList {
  readonly list: StatementList;
  /** What is still to be asked of its documents. */
  readonly filters: readonly StatementFilter[];
}

/** A list within a scope: the list itself, or that of the scope where that is shorter. */
export async function chooseWithin(
  reader: StatementReader,
  list: StatementList,
  scope: DocumentScope,
): Promise<ChosenList> {
  const { name, filter } = scope.list;
  const isAlone = list.isShort || name === 'trusted';
  const { list: chosen, filters } = isAlone
    ? { list, filters: [] }
    : await chooseList(reader, [plainList(list.name, list.filter), plainList(name, filter)]);
  return { list: chosen, filters: [scope.filter, ...filters] };
}

/** The shortest list, as far as milestones tell, that can be read whole or gone through. */
export async function chooseList(reader: StatementReader, lists: readonly SearchList[]): Promise<ChosenList> {
  for (const { list, isShort } of await shortestFirst(reader, lists)) {
    const { name, filter } = list;
    const chosen = isShort ? { name, filter, isShort } : await list.long();
    const filters = lists.filter((other) => other !== list).map((other) => other.filter);
    if (chosen) return { list: chosen, filters };
  }
  throw new Error('A search has a list of its scope.');
}

async function shortestFirst(
  { statements }: StatementReader,
  lists: readonly SearchList[],
): Promise<{ readonly list: SearchList; readonly isShort: boolean }[]> {
  if (lists.length === 1) return lists.map((list) => ({ list, isShort: false }));
  const counted = lists.map(async (list) => {
    const options = { hint: `${list.name}_milestones`, limit: milestonesCounted };
    const milestones = allOf(list.filter, { milestone: true });
    const count = await translated(() => statements.countDocuments(milestones, options));
    return { list, count, isShort: count <= list.few };
  });
  return (await Promise.all(counted)).sort((one, other) => one.count - other.count);
}
