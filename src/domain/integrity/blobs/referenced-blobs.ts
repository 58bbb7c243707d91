import { type Cid, cidIn, codecs, makeCid } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { BlobStore, StatementRow } from '../ports.ts';
import { readSmallBlob } from './blobs.ts';
import { decodeCollectionRoot } from './iroh-collection.ts';

export interface FoundBlob {
  /** Its text alone: there can be millions. */
  readonly cid: string;
  readonly size: number;
}

export interface ReferencedBlobsPorts {
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
}

/** Each is counted; the first of them are named. */
export interface MissingBlobs {
  readonly count: number;
  readonly cids: readonly string[];
}

export const missingListed = 10_000;

const askedAtOnce = 64;
/** The root of a collection of a million files. */
const rootLimit = 32 << 20;

/**
 * The blobs to which statements refer, as far as the store has them, and what belongs to the collections among
 * them: metadata and files. Each CID is asked for once.
 */
export class ReferencedBlobs {
  readonly #ports: ReferencedBlobsPorts;
  readonly #seen = new DigestSet();
  readonly #found: FoundBlob[] = [];
  readonly #forms = new DigestSet();
  #waiting: Cid[] = [];
  /** Digests of JSON that no blob is, and that can be a statement's. */
  readonly #wantedForms = new DigestSet();
  readonly #missingCids: string[] = [];
  #missing = 0;

  constructor(ports: ReferencedBlobsPorts) {
    this.#ports = ports;
  }

  /** References to what is neither in the store nor carried as a statement, once all have been added. */
  get missing(): MissingBlobs {
    const cids = [...this.#missingCids];
    let count = this.#missing;
    for (const digest of this.#wantedForms) {
      if (this.#forms.has(digest)) continue;
      count += 1;
      if (cids.length < missingListed) cids.push(makeCid(codecs.jcs, digest).text);
    }
    return { count, cids };
  }

  /** In the order of their CIDs. */
  get found(): readonly FoundBlob[] {
    return this.#found.sort((one, other) => (one.cid < other.cid ? -1 : 1));
  }

  /** @param jcsCid a form that the manifest carries as a statement. */
  async add({ jcsCid, references }: Pick<StatementRow, 'jcsCid' | 'references'>): Promise<void> {
    this.#forms.add(jcsCid.digest);
    for (const { identifier } of references) {
      if (!identifier.startsWith('urn:cid:') || !this.#seen.add(blake3Digest(identifier))) continue;
      const cid = cidIn(identifier);
      if (cid && cid.codec !== codecs.rdfc) this.#waiting.push(cid);
    }
    if (this.#waiting.length >= askedAtOnce) await this.settle();
  }

  /** Looks up what has been added. */
  async settle(): Promise<void> {
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0, askedAtOnce);
      const sizes = await Promise.all(asked.map((cid) => this.#ports.blobs.size(cid)));
      for (const [at, cid] of asked.entries()) await this.#note(cid, sizes[at]);
    }
  }

  async #note(cid: Cid, size: number | undefined): Promise<void> {
    if (size !== undefined) {
      this.#found.push({ cid: cid.text, size });
      if (cid.codec === codecs.hashSequence && size <= rootLimit) await this.#openCollection(cid);
    } else if (cid.codec === codecs.jcs && cid.multihash === 'blake3') {
      this.#wantedForms.add(cid.digest);
    } else {
      this.#missing += 1;
      if (this.#missingCids.length < missingListed) this.#missingCids.push(cid.text);
    }
  }

  async #openCollection(cid: Cid): Promise<void> {
    const root = await readSmallBlob(this.#ports.blobs, cid, rootLimit);
    for (const part of root ? collectionParts(root) : []) {
      if (this.#seen.add(blake3Digest(`urn:cid:${part.text}`))) this.#waiting.push(part);
    }
  }
}

/** The metadata blob and the files of a collection; none when the bytes are no root of one. */
export function collectionParts(root: Uint8Array): Cid[] {
  try {
    const { metadata, files } = decodeCollectionRoot(root);
    return [metadata, ...files].map((digest) => makeCid(codecs.raw, digest));
  } catch {
    return [];
  }
}
