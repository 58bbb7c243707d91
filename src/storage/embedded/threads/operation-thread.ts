import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../domain/errors.ts';
import { type Call, receiveError, type ThreadMessage, type ThreadReport } from './messages.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Operation = (args: never) => unknown;

/** Rows are short-lived in a thread, so a small young generation saves memory. */
const youngMiB = 16;

/**
 * Calls operations on a thread of its own. Calls that arrive while it is busy go together, so that writes share a
 * transaction. Disposing waits for all of them.
 */
export class OperationThread<Operations extends Record<keyof Operations, Operation>>
  implements AsyncDisposable
{
  readonly #name: string;
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  #waiting: Call[] = [];
  /** How many calls of the message in the thread have no outcome yet. */
  #running = 0;
  #lastId = 0;
  readonly #failed = new AbortController();
  #end: ServiceError | undefined;

  private constructor(name: string, thread: Worker) {
    this.#name = name;
    this.#thread = thread;
    thread.on('message', (report: ThreadReport) => this.#settle(report));
    thread.on('error', (error) => this.#stop('has failed', error));
    thread.on('exit', () => this.#stop('has ended'));
  }

  /** @param name what it is called in errors. @param module the file of the thread. @param file the database. */
  static async open<Operations extends Record<keyof Operations, Operation>>(
    name: string,
    module: URL,
    file: string,
  ): Promise<OperationThread<Operations>> {
    const thread = new Worker(module, {
      workerData: { file },
      resourceLimits: { maxYoungGenerationSizeMb: youngMiB },
    });
    await once(thread, 'message');
    return new OperationThread(name, thread);
  }

  async run<Name extends keyof Operations & string>(
    name: Name,
    args: Parameters<Operations[Name]>[0],
  ): Promise<Awaited<ReturnType<Operations[Name]>>> {
    const id = ++this.#lastId;
    const outcome = Promise.withResolvers<unknown>();
    this.check();
    this.#pending.set(id, outcome);
    this.#waiting.push({ id, name, args });
    if (this.#running === 0) this.#sendWaiting();
    return (await outcome.promise) as Awaited<ReturnType<Operations[Name]>>;
  }

  /** Aborts with a ServiceError when the thread has ended too early. */
  get failure(): AbortSignal {
    return this.#failed.signal;
  }

  /** @throws ServiceError `unavailable` when the thread has ended. */
  check(): void {
    if (this.#end) throw this.#end;
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#running += this.#waiting.length;
    this.#send({ calls: this.#waiting });
    this.#waiting = [];
  }

  #send(message: ThreadMessage): void {
    this.#thread.postMessage(message);
  }

  #settle(report: ThreadReport): void {
    if ('ready' in report) return;
    this.#running -= report.outcomes.length;
    if (this.#running === 0) this.#sendWaiting();
    for (const outcome of report.outcomes) {
      const pending = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('error' in outcome) pending?.reject(receiveError(outcome.error));
      else pending?.resolve(outcome.result);
    }
  }

  #stop(what: string, cause?: unknown): void {
    if (!this.#end) {
      const message = `The ${this.#name} thread ${what}. Restart the service.`;
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
