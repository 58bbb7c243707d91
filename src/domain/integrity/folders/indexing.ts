import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { readSmallBlob } from '../blobs/blob-store.ts';
import { type CollectionEntry, decodeCollection, decodeCollectionRoot } from '../blobs/iroh-collection.ts';
import { rootLimit } from '../blobs/referenced-blobs.ts';
import { type Cid, cidIn, cidUrn, codecs, makeCid, parseCid } from '../identifiers/cid.ts';
import type { BlobStore, StagedBlob, StatementRow } from '../ports.ts';
import { afterWrites, type StatementWrites, type StoredRows } from '../statements/after-writes.ts';
import { PackedRows, unpackedRows } from '../statements/packed-rows.ts';
import type { StatementRowsOfStore } from '../statements/rows.ts';
import { upgradeRows } from '../statements/upgrade-rows.ts';
import type { FolderRecords, MemberRecord, MemberRecords } from './folder-records.ts';

export interface FolderIndexing {
  readonly folders: Pick<FolderRecords, 'get' | 'insert' | 'update' | 'page'>;
  readonly members: Pick<MemberRecords, 'insert'>;
  readonly rows: StatementRowsOfStore;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly search: FileSearch;
}

/** Makes the files of folders known to the search. Repeats complete what was interrupted. */
export interface FileSearch {
  /** Statements about folders are stored. */
  stated(jcsCids: readonly Cid[]): Promise<void>;
  /** All files of a folder are indexed. */
  known(cid: Cid): Promise<void>;
}

const membersAtOnce = 1_000;
/** The names of a million files. */
const namesLimit = 256 << 20;

/** The files of a collection whose blobs are stored; undefined if it is none. @returns null files if its names are away. */
export async function collectionFiles({ blobs }: Pick<FolderIndexing, 'blobs'>, cid: Cid) {
  const root = await read(blobs, cid, rootLimit);
  if (!root || root.length === 0 || root.length % 32 !== 0) return undefined;
  const metadata = makeCid(codecs.raw, decodeCollectionRoot(root).metadata);
  const names = await read(blobs, metadata, namesLimit);
  try {
    return { metadata: metadata.text, files: names ? decodeCollection({ metadata: names, root }) : null };
  } catch {
    return undefined;
  }
}

/** Undefined also for damaged and very large ones. */
async function read(blobs: FolderIndexing['blobs'], cid: Cid, limit: number) {
  return await readSmallBlob(blobs, cid, limit).catch(() => undefined);
}

type FolderParts = Omit<FolderIndexing, 'search' | 'rows'>;

/**
 * Indexes the files of a collection, unless they are indexed or its blobs are away. May stop at any point and run again.
 * @returns whether all are indexed.
 */
async function indexFolder(ports: FolderParts, cid: Cid): Promise<boolean> {
  const id = cid.text;
  if ((await ports.folders.get(id))?.files != null) return true;
  const found = await collectionFiles(ports, cid);
  if (!found) return false;
  await ports.folders.insert([{ id, metadata: found.metadata, files: null }]);
  // Its names may have been stored between both steps.
  const files = found.files ?? (await collectionFiles(ports, cid))?.files;
  if (!files) return false;
  for (let at = 0; at < files.length; at += membersAtOnce) {
    await ports.members.insert(membersOfFiles(id, files, at, membersAtOnce));
    await yieldToEventLoop();
  }
  await ports.folders.update(id, {}, { files: files.length });
  return true;
}

/** The records of some files of a folder. */
export function membersOfFiles(
  collection: string,
  files: readonly CollectionEntry[],
  from: number,
  most: number,
): MemberRecord[] {
  return files.slice(from, from + most).map(({ name: path, digest }, offset) => {
    const number = from + offset;
    const member = makeCid(codecs.raw, digest).text;
    return { id: `${collection}/${number}`, collection, number, member, path };
  });
}

/** The first characters of identifiers of collections. They encode codec and hash function. */
const collectionStart = cidUrn(makeCid(codecs.hashSequence, new Uint8Array(32))).slice(
  0,
  'urn:cid:b'.length + 8,
);

/** The collections that a statement refers to. */
export function* collectionsIn({ references }: Pick<StatementRow, 'references'>): Generator<Cid> {
  for (const { identifier } of references) {
    const cid = identifier.startsWith(collectionStart) ? cidIn(identifier) : undefined;
    if (cid) yield cid;
  }
}

/** Those that refer to collections. Packed rows stay packed unless their bytes mention one. */
export function* rowsWithFolders(rows: StoredRows): Generator<StatementRow> {
  const meant = rows instanceof PackedRows ? unpackedRows(rows, collectionStart) : rows;
  for (const row of meant) if (!collectionsIn(row).next().done) yield row;
}

function foldersOf(rows: readonly StatementRow[]): Iterable<Cid> {
  return new Map(rows.flatMap((row) => [...collectionsIn(row)]).map((cid) => [cid.text, cid])).values();
}

/**
 * Indexes the files of a folder as soon as a statement about it and its two blobs are stored, whichever comes last. A repeated
 * write indexes what an interrupted one has not.
 */
export function folderWrites(writes: StatementWrites, ports: FolderIndexing): StatementWrites {
  return afterWrites(writes, async (rows) => {
    const meant = [...rowsWithFolders(rows)];
    for (const cid of foldersOf(meant)) await indexFolder(ports, cid);
    if (meant.length > 0) await ports.search.stated(meant.map(({ jcsCid }) => jcsCid));
  });
}

const namesStart = Buffer.from('CollectionV0.');
const waitingAtOnce = 100;

/** Indexes the files of folders whose blobs are stored after the statements about them. */
export function folderBlobs(blobs: BlobStore, indexing: Omit<FolderIndexing, 'blobs'>) {
  const { folders, rows, search } = indexing;
  const ports = { ...indexing, blobs };
  const index = async (cid: Cid) => {
    if (await indexFolder(ports, cid)) await search.known(cid);
  };
  const indexRoot = async (cid: Cid) => {
    const urns = [cidUrn(cid)];
    for (const part of [rows.verified, rows.unverified]) {
      const [referring] = await part.referring(urns, null, 1);
      if (referring?.length !== 0) return await index(cid);
    }
  };
  const indexWaiting = async (cid: Cid) => {
    const name = makeCid(codecs.raw, cid.digest).text;
    const { records } = await folders.page('byMetadata', [name], { after: null, limit: waitingAtOnce });
    for (const { id } of records) await index(parseCid(id));
  };
  const indexBy = async (cid: Cid, start: Uint8Array) => {
    if (cid.multihash !== 'blake3') return;
    if (cid.codec === codecs.hashSequence) await indexRoot(cid);
    else if (namesStart.equals(start.subarray(0, namesStart.length))) await indexWaiting(cid);
  };
  const indexed = (staged: StagedBlob): StagedBlob => {
    let start = Buffer.alloc(0);
    return {
      ...staged,
      async write(chunk) {
        await staged.write(chunk);
        if (start.length < namesStart.length)
          start = Buffer.concat([start, chunk.subarray(0, namesStart.length)]);
      },
      async commit(cid) {
        const outcome = await staged.commit(cid);
        await indexBy(cid, start);
        return outcome;
      },
    };
  };
  return {
    ...blobs,
    stage: async () => indexed(await blobs.stage()),
    async putSmall(small) {
      const outcomes = await blobs.putSmall(small);
      for (const { cid, bytes } of small) await indexBy(cid, bytes);
      return outcomes;
    },
  } satisfies BlobStore;
}

const rowsAtOnce = 500;

/**
 * Indexes the folders of statements that an earlier version has stored.
 * @param position of the page after which it goes on.
 */
export function indexOlderFolders(
  ports: Omit<FolderIndexing, 'search'>,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  const work = async (rows: readonly StatementRow[]) => {
    for (const cid of foldersOf(rows)) await indexFolder(ports, cid);
  };
  return upgradeRows(ports.rows, { list: { by: 'storing' }, atOnce: rowsAtOnce }, work, position);
}
