import { type Cid, cidIn, codecs, makeCid } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { BlobStore, StatementRow } from '../ports.ts';
import { readSmallBlob } from './blob-store.ts';
import { decodeCollectionRoot } from './iroh-collection.ts';

export interface FoundBlob {
  /** Only the text, because there can be millions. */
  readonly cid: string;
  /** Under which it is stored. It differs if statements name the bytes by another hash only. */
  readonly storedAs: string;
  readonly size: number;
  /** Whether neither a statement nor its collection names it. */
  readonly isAttached: boolean;
}

/** Finds a blob: under its CID, or under one with another hash function. */
export type FindBlob = (cid: Cid) => Promise<{ readonly cid: Cid; readonly size: number } | undefined>;

export const missingListed = 10_000;

const lookupsAtOnce = 64;
/** The root of a collection of a million files. */
export const rootLimit = 32 << 20;

/**
 * Collects the blobs that statements refer to and the store has, including the metadata and files of collections. Each
 * CID is looked up once.
 */
export class ReferencedBlobs {
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #find: FindBlob;
  readonly #seen = new DigestSet();
  readonly #found: FoundBlob[] = [];
  readonly #forms = new DigestSet();
  #waiting: Cid[] = [];
  /** Digests of missing JSON that may turn out to be statements. */
  readonly #wantedForms = new DigestSet();
  readonly #missingCids: string[] = [];
  #missing = 0;
  #isAttaching = false;

  constructor(blobs: Pick<BlobStore, 'read'>, find: FindBlob) {
    this.#blobs = blobs;
    this.#find = find;
  }

  /**
   * References to content that the store lacks and the manifest does not carry. Complete once all rows are added. All are
   * counted, but only the first are listed.
   */
  get missing(): { readonly count: number; readonly cids: readonly string[] } {
    const cids = [...this.#missingCids];
    let count = this.#missing;
    for (const digest of this.#wantedForms) {
      if (this.#forms.has(digest)) continue;
      count += 1;
      if (cids.length < missingListed) cids.push(makeCid(codecs.jcs, digest).text);
    }
    return { count, cids };
  }

  /** Bytes that are also named as they are stored are listed once. */
  get found(): readonly FoundBlob[] {
    const isOther = ({ cid, storedAs }: FoundBlob) => cid !== storedAs;
    const others = new Set(this.#found.filter(isOther).map(({ storedAs }) => storedAs));
    const named = new Set(
      others.size === 0 ? [] : this.#found.flatMap(({ cid }) => (others.has(cid) ? cid : [])),
    );
    return this.#found
      .filter((blob) => !(isOther(blob) && named.has(blob.storedAs)))
      .sort((one, other) => (one.cid < other.cid ? -1 : 1));
  }

  /** @param jcsCid of a statement that the manifest carries. */
  async add({ jcsCid, references }: Pick<StatementRow, 'jcsCid' | 'references'>): Promise<void> {
    this.#forms.add(jcsCid.digest);
    for (const { identifier } of references) {
      if (!identifier.startsWith('urn:cid:') || !this.#seen.add(blake3Digest(identifier))) continue;
      const cid = cidIn(identifier);
      if (cid && cid.codec !== codecs.rdfc) this.#waiting.push(cid);
    }
    if (this.#waiting.length >= lookupsAtOnce) await this.settle();
  }

  /** Adds blobs that no statement has to name, once all rows are added. */
  async attach(texts: AsyncIterable<string>): Promise<void> {
    await this.settle();
    this.#isAttaching = true;
    for await (const text of texts) {
      const cid = cidIn(text);
      if (!cid || !this.#seen.add(blake3Digest(`urn:cid:${text}`))) continue;
      this.#waiting.push(cid);
      if (this.#waiting.length >= lookupsAtOnce) await this.settle();
    }
    await this.settle();
  }

  async settle(): Promise<void> {
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0, lookupsAtOnce);
      const found = await Promise.all(asked.map((cid) => this.#find(cid)));
      for (const [at, cid] of asked.entries()) await this.#note(cid, found[at]);
    }
  }

  async #note(cid: Cid, found: Awaited<ReturnType<FindBlob>>): Promise<void> {
    if (found) {
      const { cid: stored, size } = found;
      this.#found.push({ cid: cid.text, storedAs: stored.text, size, isAttached: this.#isAttaching });
      if (cid.codec === codecs.hashSequence && size <= rootLimit) await this.#openCollection(stored);
    } else if (cid.codec === codecs.jcs && cid.multihash === 'blake3') {
      this.#wantedForms.add(cid.digest);
    } else {
      this.#missing += 1;
      if (this.#missingCids.length < missingListed) this.#missingCids.push(cid.text);
    }
  }

  async #openCollection(cid: Cid): Promise<void> {
    const root = await readSmallBlob(this.#blobs, cid, rootLimit);
    for (const part of root ? collectionParts(root) : []) {
      if (this.#seen.add(blake3Digest(`urn:cid:${part.text}`))) this.#waiting.push(part);
    }
  }
}

/** The metadata blob and the files of a collection; empty if the bytes are not the root of a collection. */
export function collectionParts(root: Uint8Array): Cid[] {
  try {
    const { metadata, files } = decodeCollectionRoot(root);
    return [metadata, ...files].map((digest) => makeCid(codecs.raw, digest));
  } catch {
    return [];
  }
}
