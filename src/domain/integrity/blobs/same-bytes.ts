import { type Cid, cidIn, cidUrn, codecs, makeCid, statementStart, urnsOfBytes } from '../identifiers/cid.ts';
import { hasher, type MultihashName, multihashes } from '../identifiers/hashing.ts';
import { type BlobHashRecord, type BlobHashRecords, recordsOfRaw } from './blob-hashes.ts';
import {
  bytesReferredTo,
  type DigestReferences,
  type ReferencePorts,
  referencesOf,
} from './digest-references.ts';

/** What is known of the bytes that a CID names. */
export interface KnownBytes {
  /**
   * Their identifiers in the codec of the CID: by BLAKE3, by SHA-256, and documents that refer to them. Readers may not
   * learn each of them. They are called by the first.
   */
  readonly names: readonly [string, ...string[]];
  readonly size: number;
}

/** Which CIDs name the same bytes, as far as these are or were stored. What follows is true for everybody, but that it is known tells that
 * somebody has stored the bytes. So nobody may learn it who does not see a statement with one of the names. */
export interface SameBytes {
  /** By identifier. Those of unknown bytes are missing. */
  of(ids: readonly string[]): Promise<ReadonlyMap<string, KnownBytes>>;

  /**
   * As `of`. Documents that refer to the bytes by another digest are names of them too (see `digestReferences`), after those of
   * the bytes. These documents have a content of their own, so only what is said of them is said of the bytes.
   */
  withReferences(ids: readonly string[]): Promise<ReadonlyMap<string, KnownBytes>>;
}

/** Where no bytes are known. */
export const noSameBytes: SameBytes = { of: async () => new Map(), withReferences: async () => new Map() };

const idsAtOnce = 500;

export function sameBytes(
  hashes: Pick<BlobHashRecords, 'among'>,
  references: Pick<DigestReferences, 'among' | 'page'>,
): SameBytes {
  let hasReferences = false;
  return {
    of: async (ids) => await namesOf(hashes, ids),
    async withReferences(ids) {
      const known = await knownBytes(hashes, ids);
      if (known.size === 0 && !ids.some(isDocument)) return named(known);
      // Most stores have none, so that nothing more is asked there.
      hasReferences ||= (await references.page('key', [], { after: null, limit: 1 })).records.length > 0;
      return hasReferences ? await withReferences({ hashes, references }, ids, known) : named(known);
    },
  };
}

/** The names of bytes by identifiers with either hash. */
export async function namesOf(hashes: Pick<BlobHashRecords, 'among'>, ids: readonly string[]) {
  return named(await knownBytes(hashes, ids));
}

type Found = Pick<BlobHashRecord, 'blake3' | 'sha256' | 'size'>;
type FoundBytes = Map<string, { readonly codec: number; readonly record: Found }>;

function named(known: FoundBytes): Map<string, KnownBytes> {
  const names = known
    .entries()
    .map(([id, { codec, record }]) => [id, { names: namesIn(codec, record), size: record.size }] as const);
  return new Map(names);
}

async function knownBytes(hashes: Pick<BlobHashRecords, 'among'>, ids: readonly string[]) {
  const known: FoundBytes = new Map();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const asked = ids.slice(at, at + idsAtOnce).flatMap((id) => askedBytes(id) ?? []);
    const raw = (wanted: MultihashName) => [
      ...new Set(asked.filter(({ multihash }) => multihash === wanted).map((one) => one.raw)),
    ];
    const records = await recordsOfRaw(hashes, raw('blake3'), raw('sha2-256'));
    const byRaw = new Map<string, Found>(emptyBytes);
    for (const record of records) byRaw.set(record.blake3, record).set(record.sha256, record);
    for (const { id, raw: text, codec } of asked) {
      const record = byRaw.get(text);
      if (record) known.set(id, { codec, record });
    }
  }
  return known;
}

function isDocument(id: string): boolean {
  const isOther = id.startsWith(rawIds) || id.startsWith(statementStart);
  return !isOther && cidIn(id)?.codec === codecs.jcs;
}

/** What is known of bytes, with the documents that refer to them, and of these documents. */
async function withReferences(
  ports: ReferencePorts,
  ids: readonly string[],
  known: FoundBytes,
): Promise<ReadonlyMap<string, KnownBytes>> {
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const documents = ids.slice(at, at + idsAtOnce).filter(isDocument);
    for (const [id, record] of await bytesReferredTo(ports, documents))
      known.set(id, { codec: codecs.raw, record });
  }
  const raw = [...known.values()].filter(({ codec }) => codec === codecs.raw);
  const documents = await referencesOf(ports, new Set(raw.map(({ record }) => record)));
  const names = named(known);
  const byBytes = Map.groupBy(documents.keys(), (id) => documents.get(id)?.blake3);
  for (const [id, { codec, record }] of known) {
    const further = codec === codecs.raw ? byBytes.get(record.blake3) : undefined;
    const own = names.get(id);
    if (further && own) names.set(id, { ...own, names: [...own.names, ...further] });
  }
  return names;
}

/**
 * All identifiers of what an identifier names: in every codec and hash function, and by other digests. It is the first.
 * @param known of the bytes.
 */
export function namesOfKnown(id: string, known: KnownBytes | undefined): string[] {
  const cid = id.startsWith(statementStart) ? undefined : cidIn(id);
  if (!cid) return [id];
  const others = known?.names ?? [];
  return [...new Set([id, ...[id, ...others].flatMap((name) => urnsOfBytes(cidIn(name) ?? cid))])];
}

interface AskedBytes {
  readonly id: string;
  /** The raw CID of the same digest. */
  readonly raw: string;
  readonly multihash: MultihashName;
  readonly codec: number;
}

/** The first characters of raw identifiers, which encode version, codec and hash function. Most need no more decoding. */
const rawIds = 'urn:cid:bafkr';
const rawStart = rawIds.length;
const rawMultihashes = { '4i': 'blake3', ei: 'sha2-256' } as const;

function askedBytes(id: string): AskedBytes | undefined {
  if (!id.startsWith('urn:cid:b') || id.startsWith(statementStart)) return undefined;
  const codec = codecs.raw;
  const multihash = id.startsWith(rawIds)
    ? rawMultihashes[id.slice(rawStart, rawStart + 2) as keyof typeof rawMultihashes]
    : undefined;
  if (multihash) return { id, raw: id.slice('urn:cid:'.length), multihash, codec };
  const cid = cidIn(id);
  return (
    cid && {
      id,
      raw: makeCid(codecs.raw, cid.digest, cid.multihash).text,
      multihash: cid.multihash,
      codec: cid.codec,
    }
  );
}

function namesIn(codec: number, { blake3, sha256 }: Found): [string, string] {
  if (codec === codecs.raw) return [cidUrn(blake3), cidUrn(sha256)];
  const inCodec = (text: string) => {
    const { digest, multihash } = cidIn(text) as Cid;
    return cidUrn(makeCid(codec, digest, multihash));
  };
  return [inCodec(blake3), inCodec(sha256)];
}

/** Nothing has to be stored to know the names of no bytes. */
const emptyBytes = (() => {
  const [blake3 = '', sha256 = ''] = (Object.keys(multihashes) as MultihashName[]).map(
    (multihash) => makeCid(codecs.raw, hasher(multihash).digest(), multihash).text,
  );
  const empty = { blake3, sha256, size: 0 };
  return new Map<string, Found>([
    [blake3, empty],
    [sha256, empty],
  ]);
})();
