import { everythingVisible } from '../access.ts';
import { readSmallBlob } from './blobs.ts';
import { type Cid, cidIn, codecs, makeCid } from './cid.ts';
import { DigestSet } from './digest-set.ts';
import { blake3Digest } from './hashing.ts';
import { decodeCollectionRoot } from './iroh-collection.ts';
import type { BlobStore, StatementStore } from './ports.ts';
import type { Reference } from './references.ts';

export interface FoundBlob {
  readonly cid: Cid;
  readonly size: number;
}

export interface ReferencedBlobsPorts {
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
}

/** Missing blobs that are named; the others are counted. */
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
  #waiting: Cid[] = [];
  readonly #missingCids: string[] = [];
  #missing = 0;

  constructor(ports: ReferencedBlobsPorts) {
    this.#ports = ports;
  }

  /** References that the store does not have. */
  get missing(): number {
    return this.#missing;
  }

  /** The first of them, at most `missingListed`. */
  get missingCids(): readonly string[] {
    return this.#missingCids;
  }

  /** In the order of their CIDs. */
  get found(): readonly FoundBlob[] {
    return this.#found.sort((one, other) => (one.cid.text < other.cid.text ? -1 : 1));
  }

  async add(references: readonly Reference[]): Promise<void> {
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
      this.#found.push({ cid, size });
      if (cid.codec === codecs.hashSequence && size <= rootLimit) await this.#openCollection(cid);
    } else if (!(await this.#isStatement(cid))) {
      this.#missing += 1;
      if (this.#missingCids.length < missingListed) this.#missingCids.push(cid.text);
    }
  }

  /** A statement's JSON is in the manifest as a statement. */
  async #isStatement(cid: Cid): Promise<boolean> {
    if (cid.codec !== codecs.jcs) return false;
    return (await this.#ports.statements.byJcsCid(cid, everythingVisible)) !== undefined;
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
