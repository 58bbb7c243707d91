import { threadId } from 'node:worker_threads';

const bytes = 24;

/** What a thread tells about its task while it works. The main thread reads it from shared memory. */
export class TaskCells {
  readonly buffer: SharedArrayBuffer;
  /** The number of documents that the thread has started, and the thread. */
  readonly #counts: Int32Array;
  /** The CPU time of the thread at the start and at the end of the task. */
  readonly #times: Float64Array;

  constructor(buffer = new SharedArrayBuffer(bytes)) {
    this.buffer = buffer;
    this.#counts = new Int32Array(buffer, 0, 2);
    this.#times = new Float64Array(buffer, 8, 2);
  }

  /** To be called by the thread. */
  begin(cpuMs = ownCpuMs(), thread = threadId): void {
    this.#times[0] = cpuMs;
    Atomics.store(this.#counts, 1, thread);
  }

  beginDocument(): void {
    Atomics.add(this.#counts, 0, 1);
  }

  end(cpuMs = ownCpuMs()): void {
    this.#times[1] = cpuMs;
  }

  get documents(): number {
    return Atomics.load(this.#counts, 0);
  }

  get thread(): number {
    return Atomics.load(this.#counts, 1);
  }

  get startedMs(): number {
    return this.#times[0] ?? 0;
  }

  /** 0 before the end. */
  get endedMs(): number {
    return this.#times[1] ?? 0;
  }
}

function ownCpuMs(): number {
  return cpuMs(process.threadCpuUsage());
}

export function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
