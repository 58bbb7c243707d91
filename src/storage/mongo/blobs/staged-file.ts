import { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import type { BlobPlaces } from './blob-places.ts';
import { temporaryName } from './temporary-name.ts';

/** A longer upload is refused at its end: before its chunks count as orphans. */
const uploadMs = 12 * 3_600_000;

/** A file that is uploaded to GridFS under a temporary name. One update gives it its own name. */
export class StagedFile<Name> {
  readonly #places: BlobPlaces;
  readonly #nameOf: (name: Name) => string;
  readonly #began: number;
  readonly #id: ObjectId;
  readonly #filename: string;
  readonly #upload;
  #isFinished = false;
  #isEnded = false;

  constructor(places: BlobPlaces, nameOf: (name: Name) => string) {
    this.#places = places;
    this.#nameOf = nameOf;
    this.#began = places.database.now().getTime();
    // The id tells when the upload began, by the server's clock.
    this.#id = new ObjectId(ObjectId.generate(Math.floor(this.#began / 1_000)));
    this.#filename = temporaryName(this.#id);
    this.#upload = places.gridFs.openUploadStreamWithId(this.#id, this.#filename);
    // Every write reports its own error.
    this.#upload.on('error', () => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#isFinished) throw new Error('The staged file is finished.');
    await this.#orDiscard(() => called((done) => this.#upload.write(chunk, done)));
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#orDiscard(() => called((done) => this.#upload.end(done)));
  }

  async commit(name: Name): Promise<'stored' | 'known'> {
    await this.finish();
    if (this.#isEnded) throw new Error('The staged file has ended.');
    const { database } = this.#places;
    if (database.now().getTime() - this.#began > uploadMs) await this.#refuseOld();
    const outcome = await this.#orDiscard(() => this.#rename(this.#nameOf(name)));
    if (outcome === 'known') await this.discard();
    this.#isEnded = true;
    return outcome;
  }

  /** Only one of several files gets the name. */
  async #rename(filename: string): Promise<'stored' | 'known'> {
    try {
      await writeUnique(filename, () => this.#places.gridFs.rename(this.#id, filename));
      return 'stored';
    } catch (error) {
      if (isDuplicate(error)) return 'known';
      throw error;
    }
  }

  async #refuseOld(): Promise<never> {
    await this.discard();
    throw new ServiceError('unavailable', 'The upload took too long. Send it faster, or in smaller blobs.');
  }

  async discard(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isFinished = true;
    this.#upload.destroy();
    // What cannot be removed now is an orphan, which is removed later.
    await this.#remove().catch(() => {});
  }

  /** A file whose rename was done although its answer was lost stays: somebody may have read it. */
  async #remove(): Promise<void> {
    const { files, chunks } = this.#places;
    await files.deleteOne({ _id: this.#id, filename: this.#filename });
    if (await files.findOne({ _id: this.#id }, { projection: { _id: 1 } })) return;
    await chunks.deleteMany({ files_id: this.#id });
  }

  async #orDiscard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.discard();
      throw storageError(error);
    }
  }
}

async function called(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  begin((error) => (error ? reject(error) : resolve()));
  await promise;
}
