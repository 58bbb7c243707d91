import { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { removeUploads } from './blob-orphans.ts';
import type { BlobPlaces } from './blob-places.ts';
import { uploadMs } from './upload-age.ts';

const firstBufferBytes = 64 << 10;
/** Larger than GridFS's usual 255 KiB: each chunk is acknowledged by a majority. */
const chunkBytes = 1 << 20;
const insertsAtOnce = 3;

/** A file on its way into GridFS: chunks under an id of its own, which become a file by one insert. */
export class StagedFile<Name> {
  readonly #places: BlobPlaces;
  readonly #filename: (name: Name) => string;
  readonly #id: ObjectId;
  readonly #began: number;
  #buffer: Buffer | undefined;
  #spares: Buffer[] = [];
  #filled = 0;
  #length = 0;
  #chunks = 0;
  readonly #inserting = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #isFinished = false;
  #isEnded = false;

  constructor(places: BlobPlaces, filename: (name: Name) => string) {
    const now = places.database.now();
    this.#places = places;
    this.#filename = filename;
    this.#began = now.getTime();
    this.#id = new ObjectId(ObjectId.generate(Math.floor(this.#began / 1_000)));
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#isFinished) throw new Error('The staged file is finished.');
    for (let taken = 0; taken < chunk.length; ) {
      const buffer = this.#room();
      const part = chunk.subarray(taken, taken + buffer.length - this.#filled);
      buffer.set(part, this.#filled);
      this.#filled += part.length;
      taken += part.length;
      if (this.#filled === chunkBytes) await this.#orDiscard(() => this.#send());
    }
  }

  /** A buffer that is not full: small blobs need little. */
  #room(): Buffer {
    this.#buffer ??= this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstBufferBytes);
    if (this.#filled < this.#buffer.length) return this.#buffer;
    const larger = Buffer.allocUnsafeSlow(Math.min(4 * this.#buffer.length, chunkBytes));
    larger.set(this.#buffer);
    this.#buffer = larger;
    return larger;
  }

  /** Starts to insert what is filled. The first chunk comes first: orphans are found by it. */
  async #send(): Promise<void> {
    const buffer = this.#buffer;
    if (!buffer) return;
    while (this.#inserting.size >= (this.#chunks > 1 ? insertsAtOnce : 1))
      await Promise.race(this.#inserting);
    this.#check();
    const data = buffer.subarray(0, this.#filled);
    const document = { files_id: this.#id, n: this.#chunks, data };
    this.#buffer = undefined;
    this.#filled = 0;
    this.#chunks += 1;
    this.#length += data.length;
    const insert = this.#places.chunks
      .insertOne(document)
      .then(
        () => {
          if (buffer.length === chunkBytes) this.#spares.push(buffer);
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#inserting.delete(insert));
    this.#inserting.add(insert);
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#orDiscard(async () => {
      if (this.#filled > 0) await this.#send();
      await this.#settle();
      this.#check();
    });
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#inserting);
    this.#buffer = undefined;
    this.#spares = [];
  }

  async commit(name: Name): Promise<'stored' | 'known'> {
    await this.finish();
    if (this.#isEnded) throw new Error('The staged file has ended.');
    const { database, files } = this.#places;
    const uploadDate = database.now();
    if (uploadDate.getTime() - this.#began > uploadMs) await this.#refuseOld();
    // From here on nobody but the sweep takes the chunks away: whether a lost insert has been done is not known.
    this.#isEnded = true;
    const filename = this.#filename(name);
    try {
      const file = { _id: this.#id, filename, length: this.#length, chunkSize: chunkBytes, uploadDate };
      await writeUnique(filename, () => files.insertOne(file));
      return 'stored';
    } catch (error) {
      if (!isDuplicate(error)) throw storageError(error);
    }
    return await this.#meet(filename);
  }

  /** There is a file of this name: an earlier one, or this one, when the driver has repeated a lost insert. */
  async #meet(filename: string): Promise<'stored' | 'known'> {
    try {
      const file = await this.#places.files.findOne({ filename }, { projection: { _id: 1 } });
      if (file?._id.equals(this.#id)) return 'stored';
    } catch (error) {
      throw storageError(error);
    }
    await this.#forget();
    return 'known';
  }

  async #refuseOld(): Promise<never> {
    await this.discard();
    throw new ServiceError('unavailable', 'The upload took too long; send it faster, or in smaller blobs.');
  }

  async discard(): Promise<void> {
    this.#isFinished = true;
    await this.#settle();
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#forget();
  }

  /** What cannot be taken away now is swept later. */
  async #forget(): Promise<void> {
    if (this.#chunks > 0) await removeUploads(this.#places, [this.#id]).catch(() => {});
  }

  /** What could not be stored leaves nothing behind. */
  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw storageError(error);
    }
  }
}
