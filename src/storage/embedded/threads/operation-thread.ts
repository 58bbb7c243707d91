import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, ServiceError } from '../../../domain/errors.ts';
import { storageError } from '../errors.ts';

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
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
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
    // At the end of this turn, so that the calls of one turn go together.
    if (this.#running === 0 && this.#waiting.length === 1) setImmediate(() => this.#sendIfIdle());
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

  #sendIfIdle(): void {
    if (this.#running === 0) this.#sendWaiting();
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#running += this.#waiting.length;
    this.#thread.postMessage({ calls: this.#waiting } satisfies ThreadMessage);
    this.#waiting = [];
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
    this.#thread.postMessage({ close: true } satisfies ThreadMessage);
    this.#end = new ServiceError('unavailable', 'The store is closing.');
    await exit;
  }
}

/** A call that waits. Either `done` or `failed` is called at its end. */
export interface WaitingCall {
  run(): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

interface Serving {
  /** By name. Arguments and results can be sent between threads. */
  readonly operations: object;
  /** Runs a call, and perhaps more with it. @param next returns the next call of the message. */
  readonly perform: (first: WaitingCall, next: () => WaitingCall | undefined) => void | Promise<void>;
  /** Called at the end. */
  readonly close?: () => void;
}

/** Answers the calls of an `OperationThread`. */
export function serve({ operations, perform, close }: Serving): void {
  if (!parentPort) throw new Error('This file runs as a worker thread.');
  const port = parentPort;
  const byName = new Map<string, (args: never) => unknown>(Object.entries(operations));
  let outcomes: Outcome[] = [];
  const report = (message: ThreadReport) => port.postMessage(message);
  const waitingCall = ({ id, name, args }: Call): WaitingCall => ({
    run: () => byName.get(name)?.(args as never),
    done: (result) => outcomes.push({ id, result }),
    failed: (error) => outcomes.push({ id, error: sendError(error) }),
  });

  port.on('message', async (message: ThreadMessage) => {
    if ('close' in message) {
      close?.();
      port.close();
      return;
    }
    const waiting = message.calls.map(waitingCall);
    for (let first = waiting.shift(); first; first = waiting.shift()) {
      await perform(first, () => waiting.shift());
      report({ outcomes });
      outcomes = [];
    }
  });
  report({ ready: true });
}

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

/** A message to a thread. `close` is the last one. */
type ThreadMessage = { readonly calls: readonly Call[] } | { readonly close: true };

/** A message from a thread: `ready` once, then outcomes. */
type ThreadReport = { readonly ready: true } | { readonly outcomes: readonly Outcome[] };

type Outcome = { readonly id: number } & ({ readonly result: unknown } | { readonly error: SentError });

/** Errors lose their class between threads. */
interface SentError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly retryAfter: number | undefined;
  readonly cause: unknown;
}

function sendError(thrown: unknown): SentError {
  const error = storageError(thrown);
  if (!(error instanceof ServiceError))
    return { code: undefined, message: messageOf(error), retryAfter: undefined, cause: error };
  const { code, message, retryAfter, cause } = error;
  return { code, message, retryAfter, cause };
}

function receiveError({ code, message, retryAfter, cause }: SentError): Error {
  if (code === undefined) return new Error(message, { cause });
  return new ServiceError(code, message, { ...(retryAfter !== undefined && { retryAfter }), cause });
}
