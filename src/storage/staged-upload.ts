import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Makes bytes durable while others arrive. Both reject when that has failed. */
export interface EarlySync {
  /** Called after each write. May wait for earlier bytes. */
  written(bytes: number): Promise<void>;
  /** Called after the last write. */
  end(): Promise<void>;
}

export interface UploadTarget<Name> {
  /** Closes without an error only if all bytes are durable. */
  readonly stream: Writable;
  readonly earlySync?: EarlySync;
  /** Gives the complete upload its name; `known` when the name is taken. */
  publish(name: Name): Promise<'stored' | 'known'>;
  /** Removes the upload unless it is published. If this fails, the upload is an orphan. */
  remove(): Promise<void>;
  /** Translates errors of the store. */
  errorOf(error: unknown): unknown;
}

/** An upload that appears under its name when it is complete. A failed upload is removed. */
export class StagedUpload<Name> {
  readonly #target: UploadTarget<Name>;
  readonly #closed: Promise<void>;
  #isFinished = false;
  #isEnded = false;

  constructor(target: UploadTarget<Name>) {
    this.#target = target;
    this.#closed = finished(target.stream);
    this.#closed.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#isFinished) throw new Error('The upload is finished.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#target.stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    await this.#orDiscard(async () => {
      await promise;
      await this.#target.earlySync?.written(chunk.length);
    });
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#orDiscard(async () => {
      await this.#target.earlySync?.end();
      this.#target.stream.end();
      await this.#closed;
    });
  }

  async commit(name: Name): Promise<'stored' | 'known'> {
    await this.finish();
    if (this.#isEnded) throw new Error('The upload has ended.');
    const outcome = await this.#orDiscard(() => this.#target.publish(name));
    if (outcome === 'known') await this.discard();
    this.#isEnded = true;
    return outcome;
  }

  async discard(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isFinished = true;
    this.#target.stream.destroy();
    await this.#closed.catch(() => {});
    await this.#target.remove().catch(() => {});
  }

  async #orDiscard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.discard();
      throw this.#target.errorOf(error);
    }
  }
}
