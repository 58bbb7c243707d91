import { Arena } from '../../../arena.ts';
import type { JsonSlice } from '../../../json/json-cursor.ts';
import type { BlobHashRecord } from '../../blobs/blob-hashes.ts';
import { type Cid, codecs, makeCid, parseCid } from '../../identifiers/cid.ts';
import { digestHash } from '../../identifiers/digest-set.ts';
import { asBuffer } from '../../identifiers/hashing.ts';
import type { BlobContent } from '../../ports.ts';
import type { BlobBytes } from '../blobs.ts';
import type { ManifestCarrier } from '../carrier.ts';
import { Postings } from './postings.ts';

const digestBytes = 32;
const nothing: BlobBytes = { size: 0, async *bytes() {} };
const places = { blake3: 0, 'sha2-256': digestBytes } as const;

/** The intact blobs of a manifest by both of their hashes. Their bytes stay in the file. */
export class CarriedBlobs {
  readonly #carrier: Pick<ManifestCarrier, 'blobAt'> | undefined;
  readonly #digests = new Arena();
  readonly #begins: number[] = [];
  readonly #sizes: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #by = { blake3: new Postings(), 'sha2-256': new Postings() } as const;

  /** @param carrier of all blobs that are added. */
  constructor(carrier: Pick<ManifestCarrier, 'blobAt'> | undefined) {
    this.#carrier = carrier;
  }

  add({ start, end }: JsonSlice, { blake3, sha256, size }: BlobHashRecord): void {
    const digests = [parseCid(blake3).digest, parseCid(sha256).digest] as const;
    this.#by.blake3.add(digestHash(digests[0]), this.#begins.length);
    this.#by['sha2-256'].add(digestHash(digests[1]), this.#begins.length);
    this.#begins.push(this.#digests.add(digests));
    this.#sizes.push(size);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** As a BlobStore. */
  async size(cid: Cid): Promise<number | undefined> {
    const number = this.#find(cid);
    return number === undefined ? undefined : this.#sizes[number];
  }

  /** As a BlobStore. */
  async read(cid: Cid): Promise<BlobContent | undefined> {
    const number = this.#find(cid);
    return number === undefined ? undefined : await this.#content(number);
  }

  /** As a BlobStore. */
  async readSmall(cids: readonly Cid[], limit: number): Promise<(Uint8Array | undefined)[]> {
    const found: (Uint8Array | undefined)[] = [];
    for (const cid of cids) {
      const size = await this.size(cid);
      const content = size === undefined || size > limit ? undefined : await this.read(cid);
      found.push(content && Buffer.concat(await Array.fromAsync(content.bytes)));
    }
    return found;
  }

  /** The hashes of its bytes. */
  hashesOf(cid: Cid): BlobHashRecord | undefined {
    const number = this.#find(cid);
    return number === undefined ? undefined : this.#record(number);
  }

  /** In the order of the manifest. */
  async *all(): AsyncGenerator<{ readonly hashes: BlobHashRecord; readonly content: BlobContent }> {
    for (const number of this.#begins.keys())
      yield { hashes: this.#record(number), content: await this.#content(number) };
  }

  #find({ digest, multihash }: Pick<Cid, 'digest' | 'multihash'>): number | undefined {
    for (const number of this.#by[multihash].above(digestHash(digest), -1))
      if (asBuffer(digest).equals(this.#digest(number, multihash))) return number;
    return undefined;
  }

  #digest(number: number, multihash: keyof typeof places): Uint8Array {
    return this.#digests.at((this.#begins[number] as number) + places[multihash], digestBytes);
  }

  #record(number: number): BlobHashRecord {
    const rawCid = (multihash: keyof typeof places) =>
      makeCid(codecs.raw, this.#digest(number, multihash), multihash).text;
    const size = this.#sizes[number] as number;
    return { blake3: rawCid('blake3'), sha256: rawCid('sha2-256'), sha512: null, git: null, md5: null, size };
  }

  async #content(number: number): Promise<BlobContent> {
    const slice = { start: this.#starts[number] as number, end: this.#ends[number] as number };
    const { size, bytes } = (await this.#carrier?.blobAt(slice)) ?? nothing;
    return { size, bytes: bytes(), [Symbol.asyncDispose]: async () => {} };
  }
}
