import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { asBuffer, type FurtherHash } from '../identifiers/hashing.ts';
import { type BlobHashRecord, type BlobHashRecords, digestBytes, indexOf } from './blob-hashes.ts';

/**
 * Stored documents `{namespace, name}` that speak of bytes by a digest which no CID here can have, such as SHA-512. They follow
 * from the stored documents.
 */
export const digestReferences = collection('digest_references', {
  shape: z.object({
    /** The identifier of the document. */
    id: z.string().min(1),
    /** See `digestKey`. */
    digest: z.string().min(1),
  }),
  key: 'id',
  indexes: { byDigest: ['digest'] },
});

export type DigestReferences = RecordsOf<typeof digestReferences>;
export type DigestReference = Readonly<z.output<typeof digestReferences.shape>>;

/** What the documents call the hashes. */
const namespaces = { sha512: 'sha512', gitBlob: 'git', md5: 'md5' } as const satisfies Record<
  string,
  FurtherHash
>;
const hashes = Object.values(namespaces);

/** The document that refers to bytes by a digest. There is one for each digest. */
export function digestDocument(namespace: string, hex: string) {
  return { namespace, name: hex.toLowerCase() };
}

/** The identifiers of the documents that may speak of a digest: of bytes, or of something else that git names by a SHA-1. */
export function referencesTo(hash: FurtherHash, hex: string): string[] {
  const names = hash === 'git' ? ['gitBlob', 'gitCommit', 'gitTree', 'gitTag', 'sha1'] : [hash];
  return names.map((namespace) => documentId(jcs(digestDocument(namespace, hex))));
}

function documentId(text: string): string {
  return cidUrn(cidOf(codecs.jcs, text));
}

const longest = jcs(digestDocument('sha512', '0'.repeat(2 * digestBytes.sha512))).length;
const form = /^\{"name":"([0-9a-f]+)","namespace":"([A-Za-z0-9]+)"\}$/;

/** What a stored document refers to, if it is one of those. */
export function digestReferenceIn(bytes: Uint8Array): DigestReference | undefined {
  if (bytes.length > longest) return undefined;
  const text = asBuffer(bytes).toString('latin1');
  const [, hex = '', namespace = ''] = form.exec(text) ?? [];
  const hash = Object.hasOwn(namespaces, namespace)
    ? namespaces[namespace as keyof typeof namespaces]
    : undefined;
  if (hash === undefined || hex.length !== 2 * digestBytes[hash]) return undefined;
  return { id: documentId(text), digest: digestKey(hash, Buffer.from(hex, 'hex').toString('base64url')) };
}

function digestKey(hash: FurtherHash, base64url: string): string {
  return `${hash}:${base64url}`;
}

export interface ReferencePorts {
  readonly hashes: Pick<BlobHashRecords, 'among'>;
  readonly references: Pick<DigestReferences, 'among' | 'page'>;
}

/** The stored bytes that some of these documents refer to. */
export async function bytesReferredTo(
  { hashes: records, references }: ReferencePorts,
  ids: readonly string[],
): Promise<Map<string, BlobHashRecord>> {
  const found = ids.length === 0 ? [] : (await references.among('key', ids, 1)).flat();
  const byDigest = await onlyBlobs(
    records,
    found.map(({ digest }) => digest),
  );
  return new Map(
    found.flatMap(({ id, digest }) => {
      const record = byDigest.get(digest);
      return record ? [[id, record] as const] : [];
    }),
  );
}

/** The documents that refer to some of these bytes. */
export async function referencesOf(
  { hashes: records, references }: ReferencePorts,
  bytes: Iterable<Partial<BlobHashRecord>>,
): Promise<Map<string, BlobHashRecord>> {
  const digests = [...bytes].flatMap((record) =>
    hashes.flatMap((hash) => (record[hash] ? digestKey(hash, record[hash]) : [])),
  );
  const found = new Map<string, BlobHashRecord>();
  for (let at = 0; at < digests.length; at += atOnce) {
    const documents = (await references.among('byDigest', digests.slice(at, at + atOnce), 1)).flat();
    const ids = documents.map(({ id }) => id);
    for (const [id, record] of await bytesReferredTo({ hashes: records, references }, ids))
      found.set(id, record);
  }
  return found;
}

const atOnce = 500;

/** MD5 and SHA-1 collide, so a digest that several stored blobs have joins nothing. */
async function onlyBlobs(
  records: ReferencePorts['hashes'],
  digests: readonly string[],
): Promise<Map<string, BlobHashRecord>> {
  const found = new Map<string, BlobHashRecord>();
  for (const hash of hashes) {
    const asked = [...new Set(digests)].filter((digest) => digest.startsWith(`${hash}:`));
    if (asked.length === 0) continue;
    const values = asked.map((digest) => digest.slice(hash.length + 1));
    const blobs = await records.among(indexOf[hash], values, 2);
    for (const [at, [only, other]] of blobs.entries())
      if (only && !other) found.set(asked[at] as string, only);
  }
  return found;
}
