import { Piscina } from 'piscina';
import type { Digests, FurtherHash } from '../src/domain/integrity/identifiers/hashing.ts';
import type { HashTask } from './hash-thread.ts';

/** An idle thread is ended to save memory. Starting it again is quick. */
const idleMs = 60_000;

/** One thread that hashes blobs, so that the main thread goes on. It starts with the first blob. */
export class HashPool implements AsyncDisposable {
  readonly #thread = new Piscina<HashTask, Digests | null>({
    filename: new URL('./hash-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    // As in threads.ts.
    execArgv: ['--no-experimental-require-module'],
    atomics: 'disabled',
  });
  #started = 0;

  /** @param onError called when the thread cannot start. */
  constructor(onError: (error: unknown) => void) {
    this.#thread.on('error', onError);
  }

  /** @param bytes chunks, which are copied, so their memory can be used again. */
  async hash(
    bytes: AsyncIterable<Uint8Array>,
    size: number,
    further: readonly FurtherHash[],
  ): Promise<Digests> {
    const id = this.#started++;
    await this.#run({ id, begin: { size, further }, chunk: new Uint8Array() });
    for await (const chunk of bytes) {
      const copy = Uint8Array.from(chunk);
      await this.#run({ id, begin: null, chunk: copy }, [copy.buffer]);
    }
    const digests = await this.#run({ id, begin: null, chunk: null });
    if (!digests) throw new TypeError('The thread has answered no digests.');
    return digests;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.destroy();
  }

  #run(task: HashTask, transferred: ArrayBuffer[] = []): Promise<Digests | null> {
    // Piscina takes its type from one that Node's types no longer have.
    return this.#thread.run(task, { transferList: transferred as never });
  }
}
