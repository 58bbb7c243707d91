import type { Buckets } from '../domain/bucket.ts';
import { blobHashes } from '../domain/integrity/blobs/blob-hashes.ts';
import { blobSizes, openBlobs, verifiedBlobs } from '../domain/integrity/blobs/blob-store.ts';
import { digestReferences } from '../domain/integrity/blobs/digest-references.ts';
import { unhashedBlobs } from '../domain/integrity/blobs/hash-unhashed.ts';
import { recentBlobs } from '../domain/integrity/blobs/recent-blobs.ts';
import { sameBytes } from '../domain/integrity/blobs/same-bytes.ts';
import { folderRecords, memberRecords } from '../domain/integrity/folders/folder-records.ts';
import { openFolders } from '../domain/integrity/folders/folders.ts';
import { folderBlobs, folderWrites, indexOlderFolders } from '../domain/integrity/folders/indexing.ts';
import { type FurtherHash, usualHashes } from '../domain/integrity/identifiers/hashing.ts';
import { indexNamesAgain } from '../domain/integrity/names/index-again.ts';
import { nameIndex } from '../domain/integrity/names/name-index.ts';
import { nameRecords } from '../domain/integrity/names/name-records.ts';
import { type NamingPorts, namedWrites, nameNewest } from '../domain/integrity/names/naming.ts';
import {
  fileSearch,
  indexDueFolders,
  searchedFolders,
  searchOlderFolders,
} from '../domain/integrity/search/files.ts';
import { indexForSearch, indexNamesIn, searchedGraphs } from '../domain/integrity/search/indexing.ts';
import { thingSearch } from '../domain/integrity/search/search.ts';
import { searchEntries } from '../domain/integrity/search/search-entries.ts';
import { signatures } from '../domain/integrity/signatures/signatures.ts';
import { planned } from '../domain/integrity/statements/statement-index.ts';
import type { CheckedDatabase, CheckedStore } from '../domain/maintenance/contents.ts';
import { folderBuckets, openFolderBuckets } from './embedded/buckets/folder-bucket.ts';
import { openEmbeddedFsck } from './embedded/fsck/open-fsck.ts';
import { openEmbeddedDatabase } from './embedded/open-embedded.ts';
import type { DatabaseAddress } from './mongo/database.ts';
import type { Patience } from './mongo/open-database.ts';
import type { PlannedStore, Store, StoreDatabase } from './store.ts';

export type { Store } from './store.ts';

export interface StoreSettings {
  readonly dataDir: string;
  readonly mongodbUrl: string | null;
  readonly mongodbDatabase: string;
  /** Milliseconds to wait for a server at the start. */
  readonly startWait: number;
  /** What blobs are hashed with beside BLAKE3 and SHA-256. Default: SHA-512 and git. */
  readonly blobHashes?: readonly FurtherHash[];
}

/**
 * The one place where a store is chosen.
 * @param waiting called with a sentence whenever the start has to wait for a server.
 * @throws ServiceError `unavailable`, `storage_full`; with `retryAfter` if the server was not reached.
 */
export async function openStore(
  { dataDir, mongodbUrl, mongodbDatabase, startWait, blobHashes: further }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<Store> {
  if (mongodbUrl === null) return await openEmbedded(dataDir, further);
  const address = { url: mongodbUrl, name: mongodbDatabase };
  return await openMongo(address, dataDir, { waitMs: startWait, waiting }, further);
}

/** A database in a folder, and buckets beside it. */
export async function openEmbedded(dataDir: string, further = usualHashes): Promise<PlannedStore> {
  await using opened = new AsyncDisposableStack();
  const { smallBlobs, ...database } = opened.use(await openEmbeddedDatabase(dataDir));
  const buckets = await openFolderBuckets(dataDir, smallBlobs);
  return joined(database, buckets, { further, opened: opened.move() });
}

/** A database and its GridFS. @param folder for temporary files. */
export async function openMongo(
  address: DatabaseAddress,
  folder: string,
  patience: Patience,
  further = usualHashes,
): Promise<PlannedStore> {
  // Imported here, because the driver takes memory.
  const { openMongoDatabase } = await import('./mongo/open-mongo.ts');
  const { openGridFs } = await import('./mongo/buckets/gridfs-bucket.ts');
  await using opened = new AsyncDisposableStack();
  const { connection, ...database } = opened.use(await openMongoDatabase(address, folder, patience));
  const buckets = opened.use(openGridFs(connection));
  return joined(database, buckets, { further, opened: opened.move() });
}

/** A database with its buckets: names of things come from documents among the blobs. */
function joined(
  database: StoreDatabase,
  buckets: Buckets,
  { further, opened }: { readonly further: readonly FurtherHash[]; readonly opened: AsyncDisposableStack },
): PlannedStore {
  const { blobs: bucket, exportResults, sealedContents } = buckets;
  const { rows } = database;
  const indexing = { entries: database.of(searchEntries), rows, now: database.now };
  const names = database.of(nameRecords);
  const given = {
    ...{ names, rows, signatures: database.of(signatures) },
    search: (records, statements) => indexNamesIn(indexing.entries, records, statements),
  } satisfies Omit<NamingPorts, 'blobs'>;
  const blobHashing = {
    unhashed: database.of(unhashedBlobs),
    hashes: database.of(blobHashes),
    references: database.of(digestReferences),
    bucket,
    further,
    now: () => database.now(),
  };
  const [folders, members] = [database.of(folderRecords), database.of(memberRecords)];
  const fileIndexing = { ...indexing, folders, members, searched: database.of(searchedFolders) };
  const search = fileSearch(fileIndexing);
  const folderIndex = { folders, members, rows, search };
  const stored = openBlobs(bucket, { sizes: database.of(blobSizes), naming: given, hashing: blobHashing });
  const blobs = recentBlobs(folderBlobs(stored, folderIndex));
  const naming = { ...given, blobs };
  // If it fails, fsck still tells which names are missing.
  if (database.wasInterrupted) void nameNewest(naming).catch(() => {});
  const store = planned(database);
  const known = sameBytes(blobHashing.hashes, blobHashing.references);
  const openedFolders = openFolders(folderIndex);
  const folderIndexing = { ...folderIndex, blobs };
  const named = folderWrites(namedWrites(store, naming), folderIndexing);
  return {
    ...store,
    ...named,
    ...searchedGraphs({ ...named, graphs: database.graphs }, indexing, names, search),
    indexForSearch: (position) => indexForSearch(indexing, { names, graphs: database.graphs }, position),
    folders: openedFolders,
    searchOlderFolders: (position) => searchOlderFolders(fileIndexing, position),
    indexDueFolders: (stop) => indexDueFolders(fileIndexing, stop),
    indexOlderFolders: (position) => indexOlderFolders(folderIndexing, position),
    names: nameIndex(naming, known),
    sameBytes: known,
    search: thingSearch({
      ...{ names, rows, members, folders: openedFolders, statementIndex: store.statementIndex },
      graphs: database.graphs,
      terms: database.termsOf(searchEntries),
    }),
    indexNamesAgain: (position) => indexNamesAgain(naming, position),
    blobs,
    blobHashing,
    exportResults,
    sealedContents,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Opens a store as it is. Opening changes nothing in it.
 * @throws ServiceError as `openStore`; `not_found` if there is no store.
 */
export async function openStoreCheck(
  { dataDir, mongodbUrl, mongodbDatabase, startWait }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<CheckedStore> {
  if (mongodbUrl === null) return await openEmbeddedCheck(dataDir);
  return await openMongoCheck({ url: mongodbUrl, name: mongodbDatabase }, { waitMs: startWait, waiting });
}

export async function openEmbeddedCheck(dataDir: string): Promise<CheckedStore> {
  const { smallBlobs, ...database } = await openEmbeddedFsck(dataDir);
  return checked(database, folderBuckets(dataDir, smallBlobs));
}

export async function openMongoCheck(address: DatabaseAddress, patience: Patience): Promise<CheckedStore> {
  const { openMongoFsck } = await import('./mongo/fsck/open-fsck.ts');
  const { gridFsBuckets } = await import('./mongo/buckets/gridfs-bucket.ts');
  const { connection, ...database } = await openMongoFsck(address, patience);
  return checked(database, gridFsBuckets(connection));
}

function checked(database: CheckedDatabase, buckets: Buckets): CheckedStore {
  return { ...database, ...buckets, blobBucket: buckets.blobs, blobs: verifiedBlobs(buckets.blobs) };
}
