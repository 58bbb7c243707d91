import { type Cid, cidIn, cidUrn, codecs, makeCid, statementStart, urnsOfBytes } from '../identifiers/cid.ts';
import { hasher, type MultihashName, multihashes } from '../identifiers/hashing.ts';
import { type BlobHashRecord, type BlobHashRecords, recordsOfRaw } from './blob-hashes.ts';

/** What is known of the bytes that a CID names. */
export interface KnownBytes {
  /** Their identifiers in the codec of the CID. That of BLAKE3 is the first, by which they are called. */
  readonly names: readonly [string, string];
  readonly size: number;
}

/** Which CIDs name the same bytes, as far as these are or were stored. What follows is true for everybody, but that it is known tells that
 * somebody has stored the bytes. So nobody may learn it who does not see a statement with one of the names. */
export interface SameBytes {
  /** By identifier. Those of unknown bytes are missing. */
  of(ids: readonly string[]): Promise<ReadonlyMap<string, KnownBytes>>;
}

const idsAtOnce = 500;

export function sameBytes(hashes: Pick<BlobHashRecords, 'among'>): SameBytes {
  return {
    async of(ids) {
      const known = new Map<string, KnownBytes>();
      for (let at = 0; at < ids.length; at += idsAtOnce) {
        const asked = ids.slice(at, at + idsAtOnce).flatMap((id) => askedBytes(id) ?? []);
        const raw = (wanted: MultihashName) => [
          ...new Set(asked.filter(({ multihash }) => multihash === wanted).map((one) => one.raw)),
        ];
        const records = await recordsOfRaw(hashes, raw('blake3'), raw('sha2-256'));
        const byRaw = new Map(emptyBytes);
        for (const record of records) byRaw.set(record.blake3, record).set(record.sha256, record);
        for (const { id, raw: text, codec } of asked) {
          const record = byRaw.get(text);
          if (record) known.set(id, { names: namesIn(codec, record), size: record.size });
        }
      }
      return known;
    },
  };
}

/** All identifiers of the bytes that an identifier names, in every codec and hash function. It is the first. */
export async function namesOfBytes(same: SameBytes, id: string): Promise<string[]> {
  const cid = id.startsWith(statementStart) ? undefined : cidIn(id);
  if (!cid) return [id];
  const others = (await same.of([id])).get(id)?.names ?? [];
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
const rawStart = 'urn:cid:bafkr'.length;
const rawMultihashes = { '4i': 'blake3', ei: 'sha2-256' } as const;

function askedBytes(id: string): AskedBytes | undefined {
  if (!id.startsWith('urn:cid:b') || id.startsWith(statementStart)) return undefined;
  const codec = codecs.raw;
  const multihash = id.startsWith('urn:cid:bafkr')
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

function namesIn(
  codec: number,
  { blake3, sha256 }: Pick<BlobHashRecord, 'blake3' | 'sha256'>,
): [string, string] {
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
  return new Map<string, Pick<BlobHashRecord, 'blake3' | 'sha256' | 'size'>>([
    [blake3, empty],
    [sha256, empty],
  ]);
})();
