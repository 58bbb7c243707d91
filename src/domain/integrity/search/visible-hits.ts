import { isVisible, type Visibility } from '../../access/visibility.ts';
import type { MemberRecord, MemberRecords } from '../folders/folder-records.ts';
import type { FolderMember, Folders } from '../folders/folders.ts';
import { cidUrn } from '../identifiers/cid.ts';
import { uuidIn } from '../identifiers/identifiers.ts';
import { type NameReading, statementsOf } from '../names/name-index.ts';
import type { Graph, GraphStore } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';
import type { WholeStatement } from '../statements/rows.ts';
import type { SearchEntry } from './search-entries.ts';
import { foldedText, type Rank, rankOf, ranks, type Words } from './terms.ts';

export interface HitPorts extends NameReading {
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly members: Pick<MemberRecords, 'among'>;
  readonly folders: Pick<Folders, 'foldersOf'>;
  readonly statementIndex: Pick<StatementIndex, 'referringTo'>;
}

/** A thing whose name fits. */
export interface Hit {
  readonly subject: string;
  /** Its visible names, the newest first, and its paths in folders. */
  readonly names: readonly string[];
  /** A folder that has it as a file. */
  readonly folder?: InFolder;
  /** The statement that gives the name that fits, or refers to the folder; or the graph with this name. */
  readonly source: WholeStatement | Graph;
}

export type InFolder = Pick<FolderMember, 'folder' | 'path'>;

export interface RankedEntry {
  readonly entry: SearchEntry;
  readonly rank: Rank;
}

/** In the given order; undefined for what the reader may not see, and for things that come elsewhere in the answer. */
export async function visibleHits(
  ports: HitPorts,
  ranked: readonly RankedEntry[],
  words: Words,
  visibility: Visibility,
): Promise<(Hit | undefined)[]> {
  const entries = ranked.map(({ entry }) => entry);
  const sourceOf = await seenSources(ports, entries, visibility);
  const subjects = [...new Set(entries.filter((one) => sourceOf(one)).map((one) => one.subject))];
  const named = await namesAndFolders(ports, subjects, visibility);
  return await Promise.all(
    ranked.map(async ({ entry, rank }) => {
      const { subject, folded, statement } = entry;
      if (statement === null) return await visibleGraph(ports.graphs, entry, visibility);
      const { source, folder } = sourceOf(entry) ?? {};
      const { names = [], folders = [] } = named.get(subject) ?? {};
      // A thing is shown once: by the best of its names, and of several by the newest.
      const texts = [...names, ...folders.map(({ path }) => path)].map(foldedText);
      const best = bestOf([...texts, ...(subject.startsWith('did:') ? [subject] : [])], words);
      if (!source || (best && isBefore(best.rank, rank))) return undefined;
      if (best?.rank === rank && best.folded !== folded && texts.includes(folded)) return undefined;
      const fitting = folder ?? folders[0];
      const paths = fitting ? [fitting.path, ...folders.map(({ path }) => path)] : [];
      return { subject, names: distinct([...names, ...paths]), source, ...(fitting && { folder: fitting }) };
    }),
  );
}

/** Which statement shows an entry to the reader, and the folder that has it as a file. */
async function seenSources(ports: HitPorts, entries: readonly SearchEntry[], visibility: Visibility) {
  const ids = entries.flatMap(({ statement, member }) =>
    statement === null ? [] : { id: statement, member },
  );
  const statements = await statementsOf(ports.rows, ids, { graphId: null, visibility });
  const naming = ids.filter(({ member }) => member === undefined).map(({ id }) => id);
  const given = new Set((await ports.names.among('key', naming, 1)).flat().map(({ id }) => id));
  const memberIds = entries.flatMap(({ member }) => member ?? []);
  const members = new Map<string, MemberRecord>();
  for (const record of (await ports.members.among('key', memberIds, 1)).flat())
    members.set(record.id, record);
  return ({ statement, member }: SearchEntry) => {
    const source = statements.get(statement ?? '');
    if (!source) return undefined;
    if (member === undefined) return given.has(source.jcsCid.text) ? { source } : undefined;
    const file = members.get(member);
    return file && { source, folder: { folder: cidUrn(file.collection), path: file.path } };
  };
}

interface Named {
  /** The newest first. */
  readonly names: readonly string[];
  readonly folders: readonly InFolder[];
}

/** More names of a thing are not shown, nor compared. */
const namesCompared = 10;

/** The visible names of things, and the visible folders that have them as files. */
export async function namesAndFolders(
  ports: HitPorts,
  subjects: readonly string[],
  visibility: Visibility,
): Promise<ReadonlyMap<string, Named>> {
  const scope = { graphId: null, visibility };
  const found = await ports.names.among('bySubject', subjects, namesCompared);
  const statements = await statementsOf(ports.rows, found.flat(), scope);
  const folders = await ports.folders.foldersOf(subjects, ports.statementIndex, scope);
  return new Map(
    subjects.map((subject, at) => {
      const visible = (found[at] ?? []).filter(({ id }) => statements.has(id));
      return [
        subject,
        { names: distinct(visible.map(({ name }) => name)), folders: folders.get(subject) ?? [] },
      ];
    }),
  );
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function bestOf(texts: readonly string[], words: Words) {
  const ranked = texts.flatMap((folded) => {
    const rank = rankOf(folded, words);
    return rank === undefined ? [] : { folded, rank };
  });
  return ranks.flatMap((rank) => ranked.find((one) => one.rank === rank) ?? [])[0];
}

function isBefore(one: Rank, other: Rank): boolean {
  return ranks.indexOf(one) < ranks.indexOf(other);
}

async function visibleGraph(
  graphs: Pick<GraphStore, 'get'>,
  { subject, folded }: SearchEntry,
  visibility: Visibility,
): Promise<Hit | undefined> {
  const graph = await graphs.get(uuidIn(subject) ?? '');
  // Of two requests that register one graph at once, one has left the entry of a name that the graph has not got.
  return graph && foldedText(graph.name) === foldedText(folded) && isVisible(graph.projectId, visibility)
    ? { subject, names: [graph.name], source: graph }
    : undefined;
}
