import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { readSmallBlob } from '../blobs/blob-store.ts';
import { decodeCollection, decodeCollectionRoot } from '../blobs/iroh-collection.ts';
import { rootLimit } from '../blobs/referenced-blobs.ts';
import { type Cid, cidIn, cidUrn, codecs, makeCid, parseCid } from '../identifiers/cid.ts';
import type { BlobStore, StagedBlob, StatementRow } from '../ports.ts';
import { afterWrites, type StatementWrites, type StoredRows } from '../statements/after-writes.ts';
import { PackedRows, unpackedRows } from '../statements/packed-rows.ts';
import type { StatementRowsOfStore } from '../statements/rows.ts';
import type { FolderRecords, MemberRecord, MemberRecords } from './folder-records.ts';

export interface FolderIndexing {
  readonly folders: Pick<FolderRecords, 'get' | 'insert' | 'update' | 'page'>;
  readonly members: Pick<MemberRecords, 'insert'>;
  readonly rows: StatementRowsOfStore;
  readonly blobs: Pick<BlobStore, 'read'>;
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

/** Indexes the files of a collection, unless they are indexed or its blobs are away. May stop at any point and run again. */
export async function indexFolder(ports: FolderIndexing, cid: Cid): Promise<void> {
  const id = cid.text;
  if ((await ports.folders.get(id))?.files != null) return;
  const found = await collectionFiles(ports, cid);
  if (!found) return;
  await ports.folders.insert([{ id, metadata: found.metadata, files: null }]);
  // Its names may have been stored between both steps.
  const files = found.files ?? (await collectionFiles(ports, cid))?.files;
  if (!files) return;
  for (let at = 0; at < files.length; at += membersAtOnce) {
    const part = files.slice(at, at + membersAtOnce);
    const records = part.map(
      ({ name, digest }, offset): MemberRecord => ({
        id: `${id}/${at + offset}`,
        collection: id,
        number: at + offset,
        member: makeCid(codecs.raw, digest).text,
        path: name,
      }),
    );
    await ports.members.insert(records);
    await yieldToEventLoop();
  }
  await ports.folders.update(id, {}, { files: files.length });
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

/** Packed rows stay packed unless their bytes mention a collection. */
function collectionsOf(rows: StoredRows): Map<string, Cid> {
  const found = new Map<string, Cid>();
  const meant = rows instanceof PackedRows ? unpackedRows(rows, collectionStart) : rows;
  for (const row of meant) for (const cid of collectionsIn(row)) found.set(cid.text, cid);
  return found;
}

/**
 * Indexes the files of a folder as soon as a statement about it and its two blobs are stored, whichever comes last. A repeated
 * write indexes what an interrupted one has not.
 */
export function folderWrites(writes: StatementWrites, ports: FolderIndexing): StatementWrites {
  return afterWrites(writes, async (rows) => {
    for (const cid of collectionsOf(rows).values()) await indexFolder(ports, cid);
  });
}

const namesStart = Buffer.from('CollectionV0.');
const waitingAtOnce = 100;

/** Indexes the files of folders whose blobs are stored after the statements about them. */
export function folderBlobs(blobs: BlobStore, { folders, members, rows }: Omit<FolderIndexing, 'blobs'>) {
  const ports = { folders, members, rows, blobs };
  const indexRoot = async (cid: Cid) => {
    const urns = [cidUrn(cid)];
    for (const part of [rows.verified, rows.unverified]) {
      const [referring] = await part.referring(urns, null, 1);
      if (referring?.length !== 0) return await indexFolder(ports, cid);
    }
  };
  const indexWaiting = async (cid: Cid) => {
    const name = makeCid(codecs.raw, cid.digest).text;
    const { records } = await folders.page('byMetadata', [name], { after: null, limit: waitingAtOnce });
    for (const { id } of records) await indexFolder(ports, parseCid(id));
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
        if (cid.multihash !== 'blake3') return outcome;
        if (cid.codec === codecs.hashSequence) await indexRoot(cid);
        else if (start.subarray(0, namesStart.length).equals(namesStart)) await indexWaiting(cid);
        return outcome;
      },
    };
  };
  return { ...blobs, stage: async () => indexed(await blobs.stage()) } satisfies BlobStore;
}

const rowsAtOnce = 500;

/**
 * Indexes the folders of statements that an earlier version has stored.
 * @param position of the page after which it goes on.
 */
export async function* indexOlderFolders(
  ports: FolderIndexing,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  const [first = 'verified', mark = null] = position?.split(' ') ?? [];
  const parts = first === 'verified' ? (['verified', 'unverified'] as const) : (['unverified'] as const);
  let done = 0;
  for (const part of parts) {
    for (let after = part === first ? mark : null; ; ) {
      const page = await ports.rows[part].page({ by: 'storing' }, after, rowsAtOnce);
      for (const cid of collectionsOf(page.rows).values()) await indexFolder(ports, cid);
      done += page.rows.length;
      if (page.next === null) break;
      after = page.next;
      yield { done, position: `${part} ${after}` };
    }
  }
}
