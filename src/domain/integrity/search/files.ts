import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { type UpgradeProgress, upgradePages } from '../../maintenance/upgrades/upgrades.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { FolderRecords, MemberRecord, MemberRecords } from '../folders/folder-records.ts';
import { collectionsIn, type FileSearch } from '../folders/indexing.ts';
import { type Cid, cidUrn, parseCid } from '../identifiers/cid.ts';
import { allPlaces } from '../statements/places.ts';
import type { ListedPage, Membership, StatementRowsOfStore, WholeStatement } from '../statements/rows.ts';
import { entryIn, type SearchEntries, type SearchEntry } from './search-entries.ts';

/**
 * Folders whose files readers of a project find by their paths. Each process takes some for a while, so a folder of a process
 * that was killed is taken again.
 */
export const searchedFolders = collection('searched_folders', {
  shape: z.object({
    /** Of the collection and the project. */
    id: z.string().min(1),
    /** The CID of the collection. */
    collection: z.string().min(1),
    /** Null: for readers of everything. */
    project: z.string().min(1).nullable(),
    /** The `jcs_cid` of a statement in the project that refers to the folder. */
    statement: z.string().min(1),
    /** How many of its files are indexed. */
    indexed: z.int(),
    /** Null when all are indexed. */
    dueAt: z.int().nullable(),
  }),
  key: 'id',
  indexes: { byDue: ['dueAt'] },
  isTransient: true,
});

type SearchedFolders = RecordsOf<typeof searchedFolders>;
export type SearchedFolder = Readonly<z.output<typeof searchedFolders.shape>>;

export interface FileIndexing {
  readonly searched: Pick<SearchedFolders, 'among' | 'insert' | 'update' | 'page'>;
  readonly folders: Pick<FolderRecords, 'among' | 'page'>;
  readonly members: Pick<MemberRecords, 'page'>;
  readonly entries: Pick<SearchEntries, 'insert'>;
  readonly rows: StatementRowsOfStore;
  readonly now: () => Date;
}

const statementsAtOnce = 500;

/**
 * Has the files of folders indexed in turns of `indexDueFolders`, because a folder may have a million. A folder is noted when
 * all its files are known and a statement about it is stored, whichever comes last.
 */
export function fileSearch(ports: FileIndexing): FileSearch {
  return {
    async stated(cids) {
      for (let at = 0; at < cids.length; at += statementsAtOnce) {
        const rows = await ports.rows.verified.whole(cids.slice(at, at + statementsAtOnce));
        const meant = rows.flatMap((row) => (row ? searchedIn(row, ports.now()) : []));
        const ids = [...new Set(meant.map((record) => record.collection))];
        const folders = ids.length === 0 ? [] : (await ports.folders.among('key', ids, 1)).flat();
        const known = new Set(folders.flatMap(({ id, files }) => (files === null ? [] : [id])));
        await note(
          ports,
          meant.filter((record) => known.has(record.collection)),
        );
      }
    },
    known: (cid) => noteFolder(ports, cid),
  };
}

interface Stating extends Pick<WholeStatement, 'jcsCid' | 'references'> {
  readonly memberships: readonly Pick<Membership, 'projectId'>[];
}

/** What a verified statement lets readers find. */
export function searchedIn(row: Stating, now: Date): SearchedFolder[] {
  const [statement, dueAt] = [row.jcsCid.text, now.getTime()];
  const projects = [null, ...new Set(row.memberships.map(({ projectId }) => projectId))];
  return Array.from(collectionsIn(row), ({ text }) => text).flatMap((collection) =>
    projects.map((project) => {
      const id = `${collection} ${project ?? ''}`;
      return { id, collection, project, statement, indexed: 0, dueAt };
    }),
  );
}

async function note({ searched }: FileIndexing, meant: readonly SearchedFolder[]): Promise<void> {
  if (meant.length === 0) return;
  const distinct = new Map(meant.map((record) => [record.id, record]));
  for (const { id } of (await searched.among('key', [...distinct.keys()], 1)).flat()) distinct.delete(id);
  if (distinct.size > 0) await searched.insert([...distinct.values()]);
}

async function noteFolder(ports: FileIndexing, cid: Cid): Promise<void> {
  const list = { by: 'reference', identifier: cidUrn(cid), places: allPlaces } as const;
  for (let after: string | null = null; ; ) {
    const page: ListedPage = await ports.rows.verified.page(list, after, statementsAtOnce);
    const meant = page.rows.flatMap((row) => searchedIn(row, ports.now()));
    await note(
      ports,
      meant.filter(({ collection }) => collection === cid.text),
    );
    if (page.next === null) return;
    after = page.next;
  }
}

const leaseMs = 600_000;
const foldersAtOnce = 20;
/** A batch is one transaction, which other writes wait for. */
const filesAtOnce = 250;

/**
 * Indexes the files of some folders that are due. @param stop leaves the rest for later.
 * @returns how many folders. 0 means that none is left.
 */
export async function indexDueFolders(ports: FileIndexing, stop?: AbortSignal): Promise<number> {
  const range = { until: ports.now().getTime() + 1 };
  const due = await ports.searched.page('byDue', [], { after: null, limit: foldersAtOnce, range });
  for (const { id, dueAt } of due.records) {
    const taken = await ports.searched.update(id, { dueAt }, { dueAt: ports.now().getTime() + leaseMs });
    // Otherwise another process has it.
    if (taken) await indexFiles(ports, taken, stop);
    if (stop?.aborted) return 0;
  }
  return due.records.length;
}

async function indexFiles(ports: FileIndexing, folder: SearchedFolder, stop?: AbortSignal): Promise<void> {
  const { searched, members, entries, rows, now } = ports;
  const [row] = await rows.verified.whole([parseCid(folder.statement)]);
  for (let { indexed } = folder; row; ) {
    const range = { from: indexed };
    const request = { after: null, limit: filesAtOnce, range };
    const page = await members.page('byCollection', [folder.collection], request);
    const last = page.records.at(-1);
    if (last) {
      await entries.insert(page.records.flatMap((record) => entryOfFile(record, folder, row.position) ?? []));
      indexed = last.number + 1;
    }
    const isLast = !last || page.next === undefined;
    const isStopped = stop?.aborted ?? false;
    const dueAt = isLast ? null : now().getTime() + (isStopped ? 0 : leaseMs);
    await searched.update(folder.id, {}, { indexed, dueAt });
    if (isLast || isStopped) return;
    await yieldToEventLoop();
  }
}

/** @returns undefined for a path without a character. */
export function entryOfFile(
  { id, member, path, number }: MemberRecord,
  { project, statement }: Pick<SearchedFolder, 'project' | 'statement'>,
  position: number,
): SearchEntry | undefined {
  const subject = cidUrn(member);
  // The first file of a folder comes first.
  const order = Math.max(0, position - number);
  return entryIn(project, { subject, group: 'artefacts', statement, order, member: id }, path);
}

const foldersPage = 100;

/**
 * Notes the folders whose files an earlier version has not indexed for the search.
 * @param position of the folders after which it goes on.
 */
export function searchOlderFolders(
  ports: FileIndexing,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  return upgradePages(
    (after) => ports.folders.page('key', [], { after, limit: foldersPage }),
    async (folders) => {
      for (const { id, files } of folders) if (files !== null) await noteFolder(ports, parseCid(id));
    },
    position,
  );
}
