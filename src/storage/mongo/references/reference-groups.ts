import type { Place } from '../../../domain/integrity/ports.ts';
import { translated } from '../errors.ts';
import { allReferring, type StatementList } from '../statements/statement-lists.ts';
import type { LightDocument, StatementReader } from '../statements/statement-reader.ts';
import { endOfEntries, entriesOf, referencesIn } from './reference-entries.ts';

/** An identifier to which no more statements refer is read at one go. */
export const fewReferring = 64;

/** What refers to an identifier from one place: the statements that have the same entry. */
export interface ReferenceGroup extends Place {
  readonly entry: string;
  readonly list: StatementList;
}

/** The groups of an identifier, or of one of its roles, in the order of their entries: those of trusted ones first. */
export async function* referenceGroups(
  reader: StatementReader,
  identifier: string,
  trusted: readonly boolean[],
  role?: string,
): AsyncGenerator<ReferenceGroup, void> {
  for (const isTrusted of trusted) {
    const start = entriesOf(identifier, isTrusted, role);
    const all = await allReferring(reader, [start], fewReferring);
    if (all) yield* groupsAmong(all, start);
    else yield* groupsFrom(reader, start);
  }
}

/** The same, of an identifier to which much refers. */
export async function* groupsOfMany(
  reader: StatementReader,
  identifier: string,
  trusted: readonly boolean[],
): AsyncGenerator<ReferenceGroup, void> {
  for (const isTrusted of trusted) yield* groupsFrom(reader, entriesOf(identifier, isTrusted));
}

function groupsAmong(documents: readonly LightDocument[], start: string): ReferenceGroup[] {
  const groups = new Map<string, ReferenceGroup>();
  for (const document of documents) {
    for (const entry of document.references.filter((each) => each.startsWith(start))) {
      if (!groups.has(entry)) groups.set(entry, groupOf(entry, document, true));
    }
  }
  return [...groups.values()].sort((one, other) =>
    Buffer.compare(Buffer.from(one.entry), Buffer.from(other.entry)),
  );
}

async function* groupsFrom(reader: StatementReader, start: string): AsyncGenerator<ReferenceGroup, void> {
  const end = endOfEntries(start);
  let group = await leastGroup(reader, start, end);
  for (; group; group = await leastGroup(reader, group.entry, end)) yield group;
}

/** Milestones lead past the entries that very many have, through which some servers look whole. */
export const milestonesFirst = [
  { among: { milestone: true }, index: 'references_milestones' },
  { among: {}, index: 'references' },
] as const;

/** Asks for any entry in between, and again below that one: servers differ in where they begin to look. */
async function leastGroup(
  { statements }: StatementReader,
  after: string,
  end: string,
): Promise<ReferenceGroup | undefined> {
  let least: ReferenceGroup | undefined;
  for (const { among, index } of milestonesFirst) {
    for (;;) {
      const references = { $elemMatch: { $gt: after, $lt: least?.entry ?? end } };
      const projection = { references, kind: 1, isTrusted: 1, hashedRoles: 1 };
      const found = await translated(() =>
        statements.findOne({ references, ...among }, { projection, hint: index }),
      );
      const [entry] = found?.references ?? [];
      if (!found || entry === undefined) break;
      least = groupOf(entry, found, false);
    }
  }
  return least;
}

function groupOf(entry: string, document: LightDocument, isShort: boolean): ReferenceGroup {
  const [reference] = referencesIn([entry], document, document.hashedRoles);
  const list = { name: 'references', filter: { references: entry }, isShort } as const;
  return { role: String(reference?.role), kind: document.kind, entry, list };
}
