import { TaskCells } from './task-cells.ts';

/** The CPU time that all tasks of one request may take together. */
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
  readonly cells: TaskCells;
  readonly signal: AbortSignal;
  /** Ends the watch and charges the budget. */
  done(): void;
}

interface Entry {
  readonly cells: TaskCells;
  readonly abort: AbortController;
  readonly budget: RequestBudget;
  /** When the thread must have started the task, by `#awakeMs`. */
  startBy: number;
  /** The number of documents at the last check, and the CPU time of the thread when the last of them was first seen. */
  seen: number;
  currentMs: number;
  /** The CPU time of the thread at the last check. */
  usedMs: number;
}

const checkMs = 100;
/** A longer time between two checks is a pause of the process. */
const mostAwakeMs = 1_000;
/** A thread that has not started its task by then never will. */
const startMs = 30_000;
/** The same after a thread could not start. */
const failedStartMs = 2_000;
/** How long a thread may continue with one document for a client that has disconnected. */
const abandonedMs = 250;

/** @returns the CPU time of a thread in milliseconds; undefined when it has ended. */
export type CpuOfThread = (thread: number) => Promise<number | undefined>;

/**
 * Ends threads that take too much CPU time for one document or for a whole request. By the clock, a process that was
 * paused, or gets little of a CPU, would refuse harmless documents.
 */
export class TaskWatch {
  readonly #documentMs: number;
  readonly #cpuOf: CpuOfThread;
  readonly #entries = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;
  /** For how long this process has run, without pauses. */
  #awakeMs = 0;
  #checkedAt = 0;

  constructor(documentMs: number, cpuOf: CpuOfThread) {
    this.#documentMs = documentMs;
    this.#cpuOf = cpuOf;
  }

  watch(budget: RequestBudget): WatchedTask {
    const cells = new TaskCells();
    const abort = new AbortController();
    const startBy = this.#awakeMs + startMs;
    const entry: Entry = { cells, abort, budget, startBy, seen: 0, currentMs: 0, usedMs: 0 };
    this.#entries.add(entry);
    if (!this.#timer) {
      this.#checkedAt = performance.now();
      this.#timer = setInterval(() => void this.#check(), checkMs).unref();
    }
    return { cells, signal: abort.signal, done: () => this.#done(entry) };
  }

  /** A thread has ended without a task. Tasks that wait for it may wait in vain. */
  threadFailed(): void {
    const startBy = this.#awakeMs + failedStartMs;
    for (const entry of this.#entries) entry.startBy = Math.min(entry.startBy, startBy);
  }

  #done(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    entry.budget.spentMs += spentMs(entry);
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    const now = performance.now();
    this.#awakeMs += Math.min(now - this.#checkedAt, mostAwakeMs);
    this.#checkedAt = now;
    await Promise.all(Array.from(this.#entries, (entry) => this.#checkOne(entry)));
  }

  async #checkOne(entry: Entry): Promise<void> {
    const { cells, budget, abort } = entry;
    if (cells.documents === 0) {
      if (this.#awakeMs > entry.startBy) abort.abort();
      return;
    }
    entry.usedMs = (await this.#cpuOf(cells.thread)) ?? entry.usedMs;
    // The thread may work on another task by now.
    if (!this.#entries.has(entry)) return;
    if (cells.documents !== entry.seen) {
      entry.seen = cells.documents;
      entry.currentMs = entry.usedMs;
    }
    const documentMs = budget.caller?.signal.aborted ? abandonedMs : this.#documentMs;
    const isOver = entry.usedMs - entry.currentMs > documentMs;
    if (isOver || budget.spentMs + spentMs(entry) > budget.limitMs) abort.abort();
  }
}

/** A thread that was ended has not said its CPU time at the end. */
function spentMs({ cells, usedMs }: Entry): number {
  return Math.max((cells.endedMs || usedMs) - cells.startedMs, 0);
}
