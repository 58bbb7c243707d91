import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { ServiceError } from '../src/domain/errors.ts';
import type { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import type { ClosedWorld, Identification, Identified, Identifier } from '../src/domain/integrity/ports.ts';
import { PackedRows } from '../src/domain/integrity/statements/packed-rows.ts';
import { InlineIdentifier } from './inline.ts';
import { type PackedError, packError, unpackError } from './packed-error.ts';
import { unpackResults, withRows } from './packing.ts';
import type { Answer, IdentifyWork, Task, ThreadSettings, Work } from './protocol.ts';
import { RequestBudget, TaskWatch } from './task-watch.ts';

export interface StatementPoolOptions {
  readonly registry: ContextRegistry;
  readonly threads?: number;
  readonly maxDepth: number;
  /** Time limit for one document. Beyond it the result is `too_complex`. */
  readonly documentMs: number;
  /** Limit on the thread time of one request. */
  readonly requestMs: number;
  /** Called when a thread cannot start, for example because the file descriptors are used up. */
  readonly onThreadError?: (error: unknown) => void;
}

interface IdentifiedPart extends Identified {
  readonly rows: PackedRows;
}

const none = new PackedRows([]);

type Options = Parameters<Identifier['identify']>[2];

/** A final answer. `exhausted`: the number of documents that the thread had started when it was ended. */
type Settled =
  | Exclude<Answer, { needs: unknown }>
  | { readonly exhausted: number; readonly error: PackedError };

/** Limits of a task: small enough to spread over threads, large enough to be worth the transfer. */
const taskStatements = 250;
const taskBytes = 1 << 18;
const threadHeapMiB = 1_024;
/** A small young generation is collected often and takes little memory. */
const youngMiB = 12;
/** Idle threads beyond the first are ended to save memory. Starting them again is quick. */
const idleMs = 60_000;
/** A thread stops by itself at the limit. If it does not, it is ended after this time. */
const graceMs = 1_000;
/** Contexts whose first use took less time may be used on the main thread. */
const quickMs = 200;

/** Identifies statements on threads. Bodies go in unparsed, packed results come back. */
export class StatementPool implements Identifier, AsyncDisposable {
  readonly #registry: ContextRegistry;
  readonly #requestMs: number;
  readonly #threads: Piscina<Task, Answer>;
  readonly #watch: TaskWatch;
  readonly #inline: InlineIdentifier;

  constructor({
    registry,
    threads = availableParallelism(),
    maxDepth,
    documentMs,
    requestMs,
    onThreadError = () => undefined,
  }: StatementPoolOptions) {
    this.#registry = registry;
    this.#requestMs = requestMs;
    this.#watch = new TaskWatch(documentMs + graceMs);
    this.#inline = new InlineIdentifier(maxDepth);
    const settings: ThreadSettings = { maxDepth, documentMs };
    this.#threads = new Piscina({
      filename: new URL('./statement-thread.ts', import.meta.url).href,
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: idleMs,
      workerData: settings,
      // Node aborts the process if a thread is ended while it loads an ES module with `require`. Without that, it uses `import`.
      execArgv: [...process.execArgv, '--no-experimental-require-module'],
      // A thread that waits in its event loop gives back the memory of native hashes, which it never does in an Atomics wait.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMiB, maxYoungGenerationSizeMb: youngMiB },
    });
    // Without a listener, a thread that cannot start ends the process.
    this.#threads.on('error', onThreadError);
  }

  async identify(body: Uint8Array, ranges: readonly number[], options: Options): Promise<Identified> {
    const inline = await this.#inline.identify(body, ranges, options);
    if ('identified' in inline) return inline.identified;
    const budget = new RequestBudget(this.#requestMs);
    const identified = await this.#identifyAll(body, ranges, options, budget);
    const isQuick = budget.spentMs < quickMs && identified.results.every((result) => !('error' in result));
    if (isQuick) this.#inline.admit(this.#registry.world.reachable(inline.missing).values());
    return identified;
  }

  async identifyUnder(
    body: Uint8Array,
    ranges: readonly number[],
    world: ClosedWorld,
  ): Promise<Identification[]> {
    const options = { generateId: false, strict: false, reportCoverage: false, world };
    const budget = new RequestBudget(this.#requestMs);
    return withRows(await this.#identifyAll(body, ranges, options, budget));
  }

  async nquads(document: Uint8Array, { canonical }: { canonical: boolean }): Promise<string> {
    return await this.#makeNQuads({ kind: 'nquads', document, canonical });
  }

  async nquadsUnder(
    statement: Uint8Array,
    { set, documents }: { set: string; documents: readonly ContextDocument[] },
  ): Promise<string> {
    return await this.#makeNQuads({ kind: 'stored-nquads', statement, world: { id: set, documents } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads.destroy();
  }

  async #makeNQuads(work: Work): Promise<string> {
    const answer = await this.#run(work, new RequestBudget(this.#requestMs));
    if ('nquads' in answer) return answer.nquads;
    throw 'error' in answer
      ? unpackError(answer.error)
      : new TypeError('A thread answered with the result of another kind of task.');
  }

  async #identifyAll(
    body: Uint8Array,
    ranges: readonly number[],
    options: Options & Pick<IdentifyWork, 'world'>,
    budget: RequestBudget,
  ): Promise<Identified> {
    const shared = new SharedArrayBuffer(body.length);
    new Uint8Array(shared).set(body);
    const tasks = cut(ranges).map((part) =>
      this.#identifyPart({ kind: 'identify', body: shared, ranges: part, ...options }, budget),
    );
    const parts = await Promise.all(tasks);
    return {
      results: parts.flatMap(({ results }) => results),
      rows: new PackedRows(parts.flatMap(({ rows }) => rows.slices)),
    };
  }

  /** A statement that exhausts its thread is answered `too_complex`; the others of the task are done again. */
  async #identifyPart(work: IdentifyWork, budget: RequestBudget): Promise<IdentifiedPart> {
    const answer = await this.#run(work, budget);
    if ('results' in answer) return unpackResults(answer.results);
    if (!('exhausted' in answer))
      throw new TypeError('A thread answered with the result of another kind of task.');
    const error = tooComplex();
    if (budget.isSpent)
      return { results: Array.from({ length: work.ranges.length / 2 }, () => ({ error })), rows: none };
    const guilty = Math.max(answer.exhausted - 1, 0);
    const others = work.ranges.toSpliced(guilty * 2, 2);
    const { results, rows } =
      others.length > 0
        ? await this.#identifyPart({ ...work, ranges: others }, budget)
        : { results: [], rows: none };
    return { results: results.toSpliced(guilty, 0, { error }), rows };
  }

  /** Runs a task, and repeats it with the contexts that the thread lacks as long as new ones are found. */
  async #run(work: Work, budget: RequestBudget): Promise<Settled> {
    let answer = await this.#runOnce(work, [], false, budget);
    const found = new Map<string, ContextDocument>();
    while ('needs' in answer) {
      const before = found.size;
      for (const document of await this.#registry.resolve(answer.needs)) found.set(document.url, document);
      answer = await this.#runOnce(work, [...found.values()], found.size === before, budget);
    }
    return answer;
  }

  async #runOnce(
    work: Work,
    documents: readonly ContextDocument[],
    isLastTry: boolean,
    budget: RequestBudget,
  ) {
    const watched = this.#watch.watch(budget);
    const task: Task = { ...work, documents, isLastTry, begun: watched.begun };
    try {
      return await this.#threads.run(task, { signal: watched.signal });
    } catch (error) {
      const isStopped = watched.signal.aborted || isOutOfMemory(error);
      if (!isStopped && watched.count() === 0) refuseUnstarted(error);
      if (!isStopped) throw error;
      return { exhausted: watched.count(), error: packError(tooComplex()) };
    } finally {
      watched.done();
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function refuseUnstarted(cause: unknown): never {
  const message = 'A thread could not start or has failed; try again.';
  throw new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}

function tooComplex(): ServiceError {
  return new ServiceError(
    'too_complex',
    'Processing the document took too long and was stopped. Make it smaller or simpler.',
  );
}

function cut(ranges: readonly number[]): number[][] {
  const parts: number[][] = [];
  let part: number[] = [];
  let bytes = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const [start = 0, end = 0] = ranges.slice(at, at + 2);
    part.push(start, end);
    bytes += end - start;
    if (bytes < taskBytes && part.length < taskStatements * 2) continue;
    parts.push(part);
    part = [];
    bytes = 0;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
