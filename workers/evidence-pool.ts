import { Piscina } from 'piscina';
import { ServiceError } from '../src/domain/errors.ts';
import {
  type EvidenceReader,
  isPlainJson,
  type ReadEvidence,
  readEvidence,
} from '../src/domain/integrity/evidence/reading.ts';
import { KeyedTurns } from '../src/domain/keyed-turns.ts';
import { formatLibraries } from './evidence-formats/libraries.ts';
import type { EvidenceAnswer, EvidenceTask } from './evidence-thread.ts';
import { unpackError } from './packing.ts';

/** An idle thread is ended to save memory: official schemas and large files have filled it. */
const idleMs = 60_000;
/** Larger files are read on the thread. */
const inlineLimit = 1 << 16;
const threadHeapMiB = 1_536;

/** Reads small files at once. Large ones, and formats with libraries of their own, are read on one thread. */
export class EvidencePool implements EvidenceReader, AsyncDisposable {
  readonly #thread = new Piscina<EvidenceTask, EvidenceAnswer>({
    filename: new URL('./evidence-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: threadHeapMiB },
    // As in threads.ts.
    execArgv: ['--no-experimental-require-module'],
    atomics: 'disabled',
  });
  readonly #turns = new KeyedTurns();
  readonly #maxDepth: number;
  readonly #readMs: number;

  /**
   * @param readMs how long one file may take.
   * @param onError called when the thread cannot start.
   */
  constructor(maxDepth: number, readMs: number, onError: (error: unknown) => void) {
    this.#maxDepth = maxDepth;
    this.#readMs = readMs;
    this.#thread.on('error', onError);
  }

  async read(file: Uint8Array, kind?: string): Promise<ReadEvidence> {
    if (file.length <= inlineLimit && isPlainJson(file))
      return await readEvidence(file, this.#maxDepth, formatLibraries, kind);
    // In turn, so that the time of a file begins with its turn.
    const answer = await this.#turns.run('', () => this.#run({ file, maxDepth: this.#maxDepth, kind }));
    if ('error' in answer) throw unpackError(answer.error);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.destroy();
  }

  async #run(task: EvidenceTask): Promise<EvidenceAnswer> {
    try {
      return await this.#thread.run(task, { signal: AbortSignal.timeout(this.#readMs) });
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'AbortError') {
        const message = `The file takes longer to read than ${this.#readMs / 1_000} s. Split it, or raise CAIRN_EVIDENCE_TIME.`;
        throw new ServiceError('too_complex', message, { cause });
      }
      if ((cause as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw cause;
      throw new ServiceError('too_large', 'The file needs too much memory to be read. Split it.', { cause });
    }
  }
}
