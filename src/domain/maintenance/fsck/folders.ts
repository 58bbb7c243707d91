import type { z } from 'zod';
import type { Collection } from '../../collections/collection.ts';
import { folderRecords, memberRecords } from '../../integrity/folders/folder-records.ts';
import { collectionFiles, collectionsIn, membersOfFiles } from '../../integrity/folders/indexing.ts';
import { type Cid, cidIn } from '../../integrity/identifiers/cid.ts';
import {
  entryOfFile,
  type SearchedFolder,
  searchedFolders,
  searchedIn,
} from '../../integrity/search/files.ts';
import type { searchEntries } from '../../integrity/search/search-entries.ts';
import { isObject } from '../../json/is-object.ts';
import type { CheckedStore } from '../contents.ts';
import type { StoreProblem } from '../problems.ts';
import type { VerifiedStatement } from '../verifier.ts';
import {
  type ComparedRecords,
  compareDerived,
  type DerivedRecords,
  derivedSearchEntries,
  orphanedRecords,
} from './derived-records.ts';
import type { FsckRun } from './run.ts';

/** The folders that statements refer to. */
export const derivedFolders: ComparedRecords<VerifiedStatement, typeof folderRecords.shape> = {
  kind: 'folder',
  declared: folderRecords,
  async make(store, statements) {
    const cids = new Map<string, Cid>();
    for (const { row } of statements) for (const cid of collectionsIn(row)) cids.set(cid.text, cid);
    const found = await Array.fromAsync(cids.values(), async (cid) => {
      const { metadata, files } = (await collectionFiles(store, cid)) ?? {};
      return metadata === undefined ? [] : [{ id: cid.text, metadata, files: files?.length ?? null }];
    });
    return { records: found.flat() };
  },
  isBegun: ({ files, metadata }, record) => files === null && metadata === record.metadata,
  says: {
    missing: 'The index does not have all files of the folder yet',
    other: 'The index has other facts about the folder',
  },
};

/** The folders whose files are to be found by who sees statements about them. */
export const derivedSearchedFolders: ComparedRecords<VerifiedStatement, typeof searchedFolders.shape> = {
  kind: 'search-entry',
  declared: searchedFolders,
  async make(store, statements) {
    const made = await Array.fromAsync(statements, async ({ row, entry: { graphIds } }) => {
      if (!row.isTrusted || collectionsIn(row).next().done) return [];
      const graphs = await Array.fromAsync(graphIds, (graphId) => store.graph(graphId));
      const memberships = graphs.flatMap((graph) => graph ?? []);
      return searchedIn({ ...row, memberships }, store.now());
    });
    const ids = [...new Set(made.flat().map((record) => record.collection))];
    const folders = ids.length === 0 ? [] : (await store.of(folderRecords).among('key', ids, 1)).flat();
    const known = new Set(folders.flatMap(({ id, files }) => (files === null ? [] : [id])));
    const wanted = made.flat().filter((record) => known.has(record.collection));
    return { records: [...new Map(wanted.map((record) => [record.id, record])).values()] };
  },
  // Any statement about the folder can have made it.
  compared: ({ collection, project }) => [collection, project],
  says: {
    missing: 'The files of the folder are not indexed for the search yet',
    other: 'The index has other facts about the folder',
  },
};

type Files = NonNullable<NonNullable<Awaited<ReturnType<typeof collectionFiles>>>['files']>;

interface Part {
  readonly id: string;
  readonly files: Files;
  readonly from: number;
}

const derivedMembers: DerivedRecords<Part, typeof memberRecords.shape> = {
  kind: 'folder',
  declared: memberRecords,
  make: async (_, parts) => ({
    records: parts.flatMap(({ id, files, from }) => membersOfFiles(id, files, from, partSize)),
  }),
  async withSource(store, entries) {
    const collectionOf = (record: unknown) => String(isObject(record) ? record.collection : '');
    const ids = [...new Set(entries.map(({ record }) => collectionOf(record)))];
    const known = new Set((await store.of(folderRecords).among('key', ids, 1)).flat().map(({ id }) => id));
    return new Set(entries.flatMap(({ id, record }) => (known.has(collectionOf(record)) ? id : [])));
  },
  says: {
    missing: 'The index does not have this file of the folder yet',
    other: 'The index has other facts about this file of the folder',
    orphan: 'No folder has this file',
  },
};

type FilesOf = readonly [folder: SearchedFolder, from: number];

const fileEntries: ComparedRecords<FilesOf, typeof searchEntries.shape> = {
  ...derivedSearchEntries,
  async make(store, parts) {
    const made = await Array.fromAsync(parts, async ([folder, from]) => {
      const request = { after: null, limit: partSize, range: { from, until: from + partSize } };
      const page = await store.of(memberRecords).page('byCollection', [folder.collection], request);
      return page.records.flatMap((record) => entryOfFile(record, folder, 0) ?? []);
    });
    return { records: [...new Map(made.flat().map((entry) => [entry.id, entry])).values()] };
  },
};

const partSize = 250;

/** Damaged records are reported elsewhere. */
async function* readableRecords<Shape extends z.ZodObject>(store: CheckedStore, declared: Collection<Shape>) {
  for await (const page of store.records(declared))
    for (const { record } of page) {
      const { data } = declared.shape.safeParse(record);
      if (data) yield data;
    }
}

/** Checks the files of folders, and what they are found by. */
export async function* fsckFolders(run: FsckRun): AsyncGenerator<StoreProblem> {
  const { store } = run;
  for await (const { id, files } of readableRecords(store, folderRecords)) {
    if (files === null) continue;
    const cid = cidIn(id);
    const found = cid && (await collectionFiles(store, cid));
    for (let from = 0; from < (found?.files?.length ?? 0); from += partSize)
      yield* compareDerived(run, derivedMembers, [{ id, files: found?.files ?? [], from }]);
  }
  yield* orphanedRecords(run, derivedMembers);
  for await (const folder of readableRecords(store, searchedFolders)) {
    // The others are being indexed.
    if (folder.dueAt !== null) continue;
    for (let from = 0; from < folder.indexed; from += partSize)
      yield* compareDerived(run, fileEntries, [[folder, from]]);
  }
}
