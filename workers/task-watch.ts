/** The thread time that all tasks of one request may take together. */
export class RequestBudget {
  readonly caller: { readonly key: string; readonly signal: AbortSignal } | undefined;
  limitMs: number;
  spentMs = 0;
  /** Whether a task of the request had its turn. Work without a request waits as long as it takes. */
  hasStarted: boolean;

  constructor(limitMs: number, caller?: RequestBudget['caller']) {
    this.limitMs = limitMs;
    this.caller = caller;
    this.hasStarted = caller === undefined;
  }

  get isSpent(): boolean {
    return this.spentMs >= this.limitMs;
  }
}

export interface WatchedTask {
  readonly begun: SharedArrayBuffer;
  readonly signal: AbortSignal;
  count(): number;
  /** Ends the watch and charges the budget. */
  done(): void;
}

interface Entry {
  readonly cell: Int32Array;
  readonly abort: AbortController;
  readonly budget: RequestBudget;
  /** When the thread must have started the task. */
  startBy: number;
  seen: number;
  /** When the thread started the first and the current document; NaN while the task waits for a thread. */
  firstAt: number;
  currentAt: number;
}

const checkMs = 100;
/** A thread that has not started its task by then never will. */
const startMs = 30_000;
/** The same after a thread could not start. */
const failedStartMs = 2_000;
/** How long a thread may continue with one document for a client that has disconnected. */
const abandonedMs = 250;

/**
 * Ends threads that take too long for one document or for a whole request. Time spent waiting for a thread does not
 * count.
 */
export class TaskWatch {
  readonly #documentMs: number;
  readonly #entries = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(documentMs: number) {
    this.#documentMs = documentMs;
  }

  watch(budget: RequestBudget): WatchedTask {
    const begun = new SharedArrayBuffer(4);
    const cell = new Int32Array(begun);
    const abort = new AbortController();
    const startBy = performance.now() + startMs;
    const started = { seen: 0, firstAt: Number.NaN, currentAt: Number.NaN };
    const entry: Entry = { cell, abort, budget, startBy, ...started };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#check(), checkMs).unref();
    return {
      begun,
      signal: abort.signal,
      count: () => Atomics.load(cell, 0),
      done: () => this.#done(entry),
    };
  }

  /** A thread has ended without a task. Tasks that wait for it may wait in vain. */
  threadFailed(): void {
    const startBy = performance.now() + failedStartMs;
    for (const entry of this.#entries) entry.startBy = Math.min(entry.startBy, startBy);
  }

  #done(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    if (!Number.isNaN(entry.firstAt)) entry.budget.spentMs += performance.now() - entry.firstAt;
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.now();
    for (const entry of this.#entries) {
      const count = Atomics.load(entry.cell, 0);
      if (count !== entry.seen) {
        entry.seen = count;
        entry.currentAt = now;
        if (Number.isNaN(entry.firstAt)) entry.firstAt = now;
      }
      const { budget, firstAt, currentAt } = entry;
      const documentMs = budget.caller?.signal.aborted ? abandonedMs : this.#documentMs;
      const isOver = now - currentAt > documentMs || budget.spentMs + now - firstAt > budget.limitMs;
      const isStuck = count === 0 && now > entry.startBy;
      if (isOver || isStuck) entry.abort.abort();
    }
  }
}
