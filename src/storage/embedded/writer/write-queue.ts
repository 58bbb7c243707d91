import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../domain/errors.ts';
import { receiveError, type WriteMessage, type WriteReport, type WriteRequest } from './write-messages.ts';
import type { WriteOperations } from './write-operations.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Rows are short-lived in the thread, so a small young generation saves memory. */
const youngMiB = 16;

/**
 * Sends writes to the writer thread. Writes that arrive while it is busy go together, so that they share a transaction.
 * Disposing waits for all of them.
 */
export class WriteQueue implements AsyncDisposable {
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  #waiting: WriteRequest[] = [];
  /** How many writes of the message in the thread have no outcome yet. */
  #writing = 0;
  #lastId = 0;
  readonly #failed = new AbortController();
  #end: ServiceError | undefined;

  private constructor(thread: Worker) {
    this.#thread = thread;
    thread.on('message', (report: WriteReport) => this.#settle(report));
    thread.on('error', (error) => this.#stop('The writer thread has failed. Restart the service.', error));
    thread.on('exit', () => this.#stop('The writer thread has ended. Restart the service.'));
  }

  static async open(file: string): Promise<WriteQueue> {
    const thread = new Worker(new URL('./write-thread.ts', import.meta.url), {
      workerData: { file },
      resourceLimits: { maxYoungGenerationSizeMb: youngMiB },
    });
    await once(thread, 'message');
    return new WriteQueue(thread);
  }

  async run<Name extends keyof WriteOperations>(
    name: Name,
    args: Parameters<WriteOperations[Name]>[0],
  ): Promise<ReturnType<WriteOperations[Name]>> {
    const id = ++this.#lastId;
    const outcome = Promise.withResolvers<unknown>();
    this.check();
    this.#pending.set(id, outcome);
    this.#waiting.push({ id, name, args });
    if (this.#writing === 0) this.#sendWaiting();
    return (await outcome.promise) as ReturnType<WriteOperations[Name]>;
  }

  /** Aborts with a ServiceError when the writer thread has ended too early. */
  get failure(): AbortSignal {
    return this.#failed.signal;
  }

  /** @throws ServiceError `unavailable` when the writer thread has ended. */
  check(): void {
    if (this.#end) throw this.#end;
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#writing += this.#waiting.length;
    this.#send({ requests: this.#waiting });
    this.#waiting = [];
  }

  #send(message: WriteMessage): void {
    this.#thread.postMessage(message);
  }

  #settle(report: WriteReport): void {
    if ('ready' in report) return;
    this.#writing -= report.outcomes.length;
    if (this.#writing === 0) this.#sendWaiting();
    for (const outcome of report.outcomes) {
      const pending = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('error' in outcome) pending?.reject(receiveError(outcome.error));
      else pending?.resolve(outcome.result);
    }
  }

  #stop(message: string, cause?: unknown): void {
    if (!this.#end) {
      this.#end = new ServiceError('unavailable', message, { cause, retryAfter: 1 });
      this.#failed.abort(this.#end);
    }
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end) return;
    const exit = once(this.#thread, 'exit');
    this.#sendWaiting();
    this.#send({ close: true });
    this.#end = new ServiceError('unavailable', 'The store is closing.');
    await exit;
  }
}
