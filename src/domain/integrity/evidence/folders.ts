import { type BlobHashRecord, type BlobHashRecords, recordsOfRaw } from '../blobs/blob-hashes.ts';
import { type CollectionEntry, encodeCollection } from '../blobs/iroh-collection.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import type { Folders } from '../folders/folders.ts';
import { collectionFiles } from '../folders/indexing.ts';
import { type Cid, cidIn, cidOf, cidUrn, codecs, digestHex, makeCid } from '../identifiers/cid.ts';
import type { BlobStore, StatementScope } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';
import type { Evidence, FolderOfFiles, Thing } from './evidence.ts';
import { identified } from './things.ts';

export interface KnownFiles {
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly hashes: Pick<BlobHashRecords, 'among'>;
}

export interface FolderFinding {
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly blobHashes: Pick<BlobHashRecords, 'among'>;
  readonly sameBytes: SameBytes;
  readonly folders: Pick<Folders, 'foldersOf'>;
  readonly statementIndex: Pick<StatementIndex, 'referringTo'>;
  /** Waits for a while until all digests of the blobs are known that were stored before. */
  readonly hashedByNow: () => Promise<void>;
}

type Files = Pick<FolderOfFiles, 'files' | 'ignored'>;

const recordsAtOnce = 500;
/** Which recorded folders have the files is asked by the first ones. */
const filesAsked = 3;

/**
 * Whether the folder of a collection has exactly these files, apart from those that were left out.
 * @returns undefined if it cannot be told, because a digest is not known.
 */
export async function isFolderOf({ blobs, hashes }: KnownFiles, files: Files, folder: Cid) {
  const entries = (await collectionFiles({ blobs }, folder))?.files;
  if (!entries) return undefined;
  const known = new Map<string, BlobHashRecord>();
  const raw = entries.map(({ digest }) => makeCid(codecs.raw, digest).text);
  for (let at = 0; at < raw.length; at += recordsAtOnce)
    for (const record of await recordsOfRaw(hashes, raw.slice(at, at + recordsAtOnce), []))
      known.set(record.blake3, record);
  return haveSameFiles(files, entries, (at) => known.get(raw[at] ?? '')?.sha256);
}

function haveSameFiles(
  { files, ignored = [] }: Files,
  entries: readonly CollectionEntry[],
  sha256Of: (at: number) => string | undefined,
): boolean | undefined {
  const isIgnored = (name: string) => ignored.some((path) => name === path || name.startsWith(`${path}/`));
  const wanted = new Map(Object.entries(files));
  let isKnown = true;
  for (const [at, { name, digest }] of entries.entries()) {
    const given = wanted.get(name);
    if (!given && isIgnored(name)) continue;
    if (!given) return false;
    wanted.delete(name);
    const sha256 = cidIn(sha256Of(at) ?? '');
    const found = { blake3: Buffer.from(digest).toString('hex'), sha256: sha256 && digestHex(sha256) };
    const compared = (['blake3', 'sha256'] as const).filter((hash) => given[hash] && found[hash]);
    if (compared.some((hash) => given[hash]?.toLowerCase() !== found[hash])) return false;
    isKnown &&= compared.length > 0;
  }
  if (wanted.size > 0) return false;
  return isKnown ? true : undefined;
}

/** Evidence whose folders are named by their collections, as far as these are known. */
export interface Collected {
  readonly evidence: Evidence;
  /** The blobs of new collections. */
  readonly blobs: readonly { readonly cid: Cid; readonly bytes: Uint8Array }[];
}

/**
 * Names the folders of evidence by their collections: those whose files are known by BLAKE3, and those that are recorded here with
 * these files. The caller learns nothing of folders that they may not see.
 */
export async function withCollections(
  ports: FolderFinding,
  evidence: Evidence,
  scope: StatementScope,
): Promise<Collected> {
  const collections = new Map<string, string>();
  const blobs: { cid: Cid; bytes: Uint8Array }[] = [];
  const others: FolderOfFiles[] = [];
  if (!evidence.folders?.length) return { evidence, blobs };
  for (const folder of evidence.folders) {
    const made = collectionOf(folder);
    if (made)
      blobs.push(
        { cid: cidOf(codecs.raw, made.metadata), bytes: made.metadata },
        { cid: cidOf(codecs.hashSequence, made.root), bytes: made.root },
      );
    const collection = made
      ? cidUrn(cidOf(codecs.hashSequence, made.root))
      : await recordedFolder(ports, folder, scope);
    if (collection === undefined) others.push(folder);
    else collections.set(identified(folder.folder).id, collection);
  }
  return { evidence: { ...renamed(evidence, collections), folders: others }, blobs };
}

/** The collection of files that are all known by BLAKE3. */
function collectionOf({ files }: FolderOfFiles) {
  const entries = Object.entries(files).flatMap(([name, { blake3 }]) =>
    blake3 === undefined ? [] : [{ name, digest: Buffer.from(blake3, 'hex') }],
  );
  return entries.length > 0 && entries.length === Object.keys(files).length
    ? encodeCollection(entries)
    : undefined;
}

/** A folder that the caller may see, and that has exactly these files. Its files may have been stored just now. */
async function recordedFolder(
  ports: FolderFinding,
  folder: FolderOfFiles,
  scope: StatementScope,
): Promise<string | undefined> {
  const found = await knownFolder(ports, folder, scope);
  if (found !== undefined) return found;
  await ports.hashedByNow();
  return await knownFolder(ports, folder, scope);
}

async function knownFolder(
  { sameBytes, folders, statementIndex, blobHashes, blobs }: FolderFinding,
  folder: FolderOfFiles,
  scope: StatementScope,
): Promise<string | undefined> {
  const some = Object.entries(folder.files)
    .filter(([, digests]) => digests.sha256 ?? digests.blake3)
    .slice(0, filesAsked);
  const asked = some.map(([name, digests]) => identified({ name, digests }).id);
  const known = await sameBytes.of(asked);
  const names = asked.map((id) => known.get(id)?.names[0] ?? id);
  const found = await folders.foldersOf(names, statementIndex, scope);
  for (const candidate of new Set([...found.values()].flat().map((member) => member.folder))) {
    const cid = cidIn(candidate);
    if (cid && (await isFolderOf({ blobs, hashes: blobHashes }, folder, cid))) return candidate;
  }
  return undefined;
}

/** The evidence with other names for some things. */
function renamed(evidence: Evidence, collections: ReadonlyMap<string, string>): Evidence {
  const { about, steps = [], wholes = [], descriptions = [] } = evidence;
  const rename = (thing: Thing): Thing => {
    const id = collections.get(identified(thing).id);
    return id === undefined ? thing : { ...(thing.name && { name: thing.name }), id };
  };
  return {
    ...evidence,
    about: about.map(rename),
    steps: steps.map((step) => ({
      ...step,
      inputs: step.inputs.map(rename),
      outputs: step.outputs.map(rename),
    })),
    wholes: wholes.map(({ whole, parts }) => ({ whole: rename(whole), parts: parts.map(rename) })),
    descriptions: descriptions.map((one) => ({ ...one, about: rename(one.about) })),
  };
}
