import { Piscina } from 'piscina';
import { ServiceError } from '../src/domain/errors.ts';
import type { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import { type Load, Semaphore } from '../src/domain/semaphore.ts';
import { type PackedError, packError, tooComplex } from './packing.ts';
import type { Answer, Task, TaskBase, ThreadSettings, Work } from './protocol.ts';
import { cpuMs } from './task-cells.ts';
import { RequestBudget, TaskWatch } from './task-watch.ts';

/** Whose request it is. The signal aborts when its client has disconnected. */
export interface Caller {
  readonly key: string;
  readonly signal: AbortSignal;
}

export interface ThreadsOptions {
  readonly registry: Pick<ContextRegistry, 'resolve'>;
  /** The most threads that one caller may use at once. */
  readonly threads: number;
  readonly maxDepth: number;
  /** Limit on the CPU time of one document. Beyond it the result is `too_complex`. */
  readonly documentMs: number;
  /** Limit on the CPU time of one request. */
  readonly requestMs: number;
  /** How long a request waits for its first turn. */
  readonly waitMs: number;
  /** The request that the running code belongs to. */
  readonly currentCaller: () => Caller | undefined;
  /** Called when a thread without a task fails, for example because file descriptors are used up. */
  readonly onThreadError: (error: unknown) => void;
}

/** A final answer. `exhausted`: the number of documents that the thread had started when it was ended. */
export type Settled =
  | Exclude<Answer, { needs: unknown }>
  | { readonly exhausted: number; readonly error: PackedError };

/** What the threads do now, and the time that tasks have held a thread in total. */
export interface ThreadsLoad extends Load {
  readonly busyMs: number;
}

const threadHeapMiB = 384;
/** A small young generation is collected often and takes little memory. */
const youngMiB = 12;
/** Idle threads beyond the first are ended to save memory. Starting them again is quick. */
const idleMs = 60_000;
/** A thread stops by itself at the limit. If it does not, it is ended after this time. */
const graceMs = 1_000;

/** Runs tasks on threads: in turn for each caller, in limited time, and with the contexts that they ask for. */
export class Threads implements AsyncDisposable {
  readonly #options: ThreadsOptions;
  #started: Piscina<Task, Answer> | undefined;
  /** One thread more than a single caller can use, so that others need not wait for slow work. */
  readonly #turns: Semaphore;
  readonly #watch: TaskWatch;
  readonly #budgets = new WeakMap<Caller, RequestBudget>();
  #busyMs = 0;

  constructor(options: ThreadsOptions) {
    const { threads, documentMs } = options;
    this.#options = options;
    this.#turns = new Semaphore(threads + 1, { spare: 1 });
    this.#watch = new TaskWatch(documentMs + graceMs, (thread) => this.#cpuOf(thread));
  }

  load(): ThreadsLoad {
    return { ...this.#turns.load(), busyMs: this.#busyMs };
  }

  /** The CPU time of the current request, or of work without a request. */
  budget(): RequestBudget {
    const { currentCaller, requestMs } = this.#options;
    const caller = currentCaller();
    const budget = (caller && this.#budgets.get(caller)) ?? new RequestBudget(requestMs, caller);
    if (caller) this.#budgets.set(caller, budget);
    return budget;
  }

  /**
   * Runs a task, and repeats it with the contexts that the thread lacks as long as new ones are found.
   * @throws ServiceError `unavailable` if no thread is free in time, `truncated_upload` if the client has disconnected.
   */
  async run(work: Work, budget: RequestBudget): Promise<Settled> {
    let answer = await this.#runOnce(work, budget, { documents: [], isLastTry: false });
    const found = new Map<string, ContextDocument>();
    while ('needs' in answer) {
      const before = found.size;
      const documents = await this.#options.registry.resolve(answer.needs);
      for (const document of documents) found.set(document.url, document);
      const isLastTry = found.size === before;
      answer = await this.#runOnce(work, budget, { documents: [...found.values()], isLastTry });
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started?.destroy();
  }

  async #runOnce(work: Work, budget: RequestBudget, tried: Pick<TaskBase, 'documents' | 'isLastTry'>) {
    return await this.#inTurn(budget, async () => {
      if (budget.isSpent) return { exhausted: 0, error: packError(tooComplex()) };
      const watched = this.#watch.watch(budget);
      const { cells } = watched;
      const task: Task = { ...work, ...tried, cells: cells.buffer };
      const startedAt = performance.now();
      try {
        this.#started ??= this.#start();
        return await this.#started.run(task, { signal: watched.signal });
      } catch (error) {
        if (budget.caller?.signal.aborted) throwAbandoned();
        if (cells.documents === 0) throwUnstarted(error);
        const isOutOfMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
        if (!watched.signal.aborted && !isOutOfMemory) throw error;
        return { exhausted: cells.documents, error: packError(tooComplex()) };
      } finally {
        watched.done();
        this.#busyMs += performance.now() - startedAt;
      }
    });
  }

  /** Begins with the first task, because many processes never have one, and a thread takes memory and a tenth of a second. */
  #start(): Piscina<Task, Answer> {
    const { threads, maxDepth, documentMs, onThreadError } = this.#options;
    const settings: ThreadSettings = { maxDepth, documentMs };
    const pool = new Piscina<Task, Answer>({
      filename: new URL('./statement-thread.ts', import.meta.url).href,
      minThreads: 1,
      maxThreads: threads + 1,
      idleTimeout: idleMs,
      workerData: settings,
      // Node aborts the process if a thread is ended while it loads an ES module with `require`. Without that, it uses `import`.
      // The flags of the process are not repeated: a thread refuses those of V8. Threads follow NODE_OPTIONS.
      execArgv: ['--no-experimental-require-module'],
      // A thread that waits in its event loop gives back the memory of native hashes, which it never does in an Atomics wait.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMiB, maxYoungGenerationSizeMb: youngMiB },
    });
    // Without a listener, a thread that cannot start ends the process.
    pool.on('error', (error) => {
      this.#watch.threadFailed();
      onThreadError(error);
    });
    return pool;
  }

  async #cpuOf(thread: number): Promise<number | undefined> {
    const worker = this.#started?.threads.find(({ threadId }) => threadId === thread);
    // It may end before it answers.
    const usage = await worker?.cpuUsage().catch(() => undefined);
    return usage && cpuMs(usage);
  }

  /** Waits for a turn, but not after the client has disconnected, and for the first turn not too long. */
  async #inTurn<Result>(budget: RequestBudget, work: () => Promise<Result>): Promise<Result> {
    const { caller } = budget;
    if (caller?.signal.aborted) throwAbandoned();
    const waiting = new AbortController();
    const leave = () => waiting.abort(abandoned());
    caller?.signal.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => budget.hasStarted || waiting.abort(busy()), this.#options.waitMs);
    const stopWaiting = () => {
      clearTimeout(timer);
      caller?.signal.removeEventListener('abort', leave);
    };
    try {
      const inTurn = async () => {
        stopWaiting();
        budget.hasStarted = true;
        return await work();
      };
      return await this.#turns.run(inTurn, caller?.key, waiting.signal);
    } finally {
      stopWaiting();
    }
  }
}

function throwUnstarted(cause: unknown): never {
  const message = 'A thread has failed or could not start; try again.';
  throw new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}

function busy(): ServiceError {
  return new ServiceError('unavailable', 'All threads are busy; try again.', { retryAfter: 1 });
}

function abandoned(): ServiceError {
  return new ServiceError('truncated_upload', 'The connection ended before the answer.');
}

function throwAbandoned(): never {
  throw abandoned();
}
