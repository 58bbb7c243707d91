import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { StagedBytes } from '../domain/bucket.ts';

export interface UploadTarget {
  /** Closes without an error only if all bytes are durable. */
  readonly stream: Writable;
  /** Makes bytes durable while others arrive. Both reject when that has failed. */
  readonly earlySync?: {
    /** Called after each write. May wait for earlier bytes. */
    written(bytes: number): Promise<void>;
    /** Called after the last write. */
    end(): Promise<void>;
  };
  /** Gives the complete upload its name; `known` when the name is taken. See `StagedBytes.commit`. */
  readonly publish: StagedBytes['commit'];
  /** Removes the upload unless it is published. If this fails, the upload is an orphan. */
  remove(): Promise<void>;
  /** Translates errors of the store. */
  errorOf(error: unknown): unknown;
}

/** An upload that appears under its name when it is complete. A failed upload is removed. */
export function stagedBytes({ stream, earlySync, publish, remove, errorOf }: UploadTarget): StagedBytes {
  const closed = finished(stream);
  closed.catch(() => {});
  let isFinished = false;
  let isEnded = false;

  async function orDiscard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await discard();
      throw errorOf(error);
    }
  }

  async function write(chunk: Uint8Array): Promise<void> {
    if (isFinished) throw new Error('The upload is finished.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    await orDiscard(async () => {
      await promise;
      await earlySync?.written(chunk.length);
    });
  }

  async function finish(): Promise<void> {
    if (isFinished) return;
    isFinished = true;
    await orDiscard(async () => {
      await earlySync?.end();
      stream.end();
      await closed;
    });
  }

  async function discard(): Promise<void> {
    if (isEnded) return;
    isEnded = true;
    isFinished = true;
    stream.destroy();
    await closed.catch(() => {});
    await remove().catch(() => {});
  }

  return {
    write,
    finish,
    async commit(name, isIntact) {
      await finish();
      if (isEnded) throw new Error('The upload has ended.');
      const outcome = await orDiscard(() => publish(name, isIntact));
      if (outcome === 'known') await discard();
      isEnded = true;
      return outcome;
    },
    discard,
  };
}
