import { availableParallelism } from 'node:os';
import type { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import { type CanonicalJson, canonicalJson } from '../src/domain/integrity/identification/jcs.ts';
import type {
  ClosedWorld,
  Identification,
  Identified,
  Identifier,
  JsonReader,
  JsonStatements,
} from '../src/domain/integrity/ports.ts';
import { joinedBodies } from '../src/domain/json/joined-bodies.ts';
import { type EnvelopePart, envelopeLimit, splitEnvelope } from '../src/domain/json/split-envelope.ts';
import { InlineIdentifier } from './inline.ts';
import {
  eachResult,
  joinedResults,
  ResultPacker,
  tooComplex,
  type UnpackedResults,
  unpackError,
  unpackResults,
} from './packing.ts';
import type { Answer, IdentifyWork, NQuadsWork, Work } from './protocol.ts';
import type { RequestBudget } from './task-watch.ts';
import { Threads, type ThreadsLoad, type ThreadsOptions } from './threads.ts';

export type StatementPoolOptions = Omit<
  ThreadsOptions,
  'registry' | 'threads' | 'waitMs' | 'currentCaller' | 'onThreadError'
> & {
  readonly registry: ContextRegistry;
  /** Default: the number of CPUs. */
  readonly threads?: number;
  /** Default: 10 s. */
  readonly waitMs?: number;
  /** Default: all work belongs to one caller. */
  readonly currentCaller?: ThreadsOptions['currentCaller'];
  /** Default: errors of threads without a task are ignored. */
  readonly onThreadError?: ThreadsOptions['onThreadError'];
};

type Options = Parameters<Identifier['identify']>[2];
type AnswerOf<Key extends string> = Extract<Answer, Readonly<Record<Key, unknown>>>;

/** Limits of a task: small enough to spread over threads, large enough to be worth the transfer. */
const taskStatements = 250;
const taskBytes = 1 << 18;
/** Contexts whose first use took less time may be used on the main thread. */
const quickMs = 200;
/** Thread time for each byte of a manifest, beyond that of any request: ten times what usual statements take. */
const manifestByteMs = 1e-3;

/** Identifies statements on threads. Bodies go in unparsed, packed results come back. */
export class StatementPool implements Identifier, JsonReader, AsyncDisposable {
  readonly #registry: ContextRegistry;
  readonly #threads: Threads;
  readonly #inline: InlineIdentifier;
  readonly #maxDepth: number;
  readonly #identifications = { inline: 0, onThreads: 0 };

  constructor({
    threads = availableParallelism(),
    waitMs = 10_000,
    currentCaller = () => undefined,
    onThreadError = () => undefined,
    ...options
  }: StatementPoolOptions) {
    this.#registry = options.registry;
    this.#threads = new Threads({ threads, waitMs, currentCaller, onThreadError, ...options });
    this.#maxDepth = options.maxDepth;
    this.#inline = new InlineIdentifier(options.maxDepth);
  }

  /** `inline` and `onThreads` count identifications so far. */
  load(): ThreadsLoad & { readonly inline: number; readonly onThreads: number } {
    return { ...this.#threads.load(), ...this.#identifications };
  }

  async readStatements(body: Uint8Array, part: EnvelopePart): Promise<JsonStatements> {
    if (body.length <= envelopeLimit) return { body, ...splitEnvelope(body, part) };
    const shared = inSharedMemory(body);
    const work: Work = { kind: 'split', body: shared.buffer, part };
    return { body: shared, ...(await this.#make(work, 'envelope')) };
  }

  async jcs(body: Uint8Array): Promise<CanonicalJson> {
    if (body.length <= envelopeLimit) return canonicalJson(body, this.#maxDepth);
    return await this.#make({ kind: 'jcs', body: inSharedMemory(body).buffer }, 'text');
  }

  async identify(body: Uint8Array, ranges: readonly number[], options: Options): Promise<Identified> {
    const inline = await this.#inline.identify(body, ranges, options);
    if ('identified' in inline) {
      this.#identifications.inline += 1;
      return inline.identified;
    }
    this.#identifications.onThreads += 1;
    const budget = this.#threads.budget();
    const spentBefore = budget.spentMs;
    const identified = await this.#identifyAll(body, ranges, options, budget);
    const isQuick = budget.spentMs - spentBefore < quickMs && identified.refused.length === 0;
    if (isQuick) this.#inline.admit(this.#registry.world.reachable(inline.missing).values());
    return identified;
  }

  async identifyUnder(
    body: Uint8Array,
    ranges: readonly number[],
    world: ClosedWorld,
  ): Promise<Identification[]> {
    const options = { generateId: false, strict: false, reportCoverage: false, world };
    const budget = this.#threads.budget();
    budget.limitMs += body.length * manifestByteMs;
    return eachResult(await this.#identifyAll(body, ranges, options, budget));
  }

  async nquads(document: Uint8Array, { canonical }: { canonical: boolean }): Promise<string> {
    const options = { canonical, covered: false, digests: false };
    return (await this.#make(nquadsWork([document], options), 'nquads')).nquads[0] ?? '';
  }

  async canonicalNQuads(documents: readonly Uint8Array[]): Promise<string[]> {
    const works = canonicalWorks(documents, { digests: false });
    const answers = await Promise.all(works.map((work) => this.#make(work, 'nquads')));
    return answers.flatMap(({ nquads }) => nquads);
  }

  async canonicalDigests(documents: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const works = canonicalWorks(documents, { digests: true });
    const answers = await Promise.all(works.map((work) => this.#make(work, 'digests')));
    return answers.flatMap(({ digests }) => digests);
  }

  async nquadsUnder(
    statement: Uint8Array,
    { set, documents }: { set: string; documents: readonly ContextDocument[] },
  ): Promise<string> {
    const world = { id: set, documents, isStored: true };
    return (await this.#make({ kind: 'stored-nquads', statement, world }, 'nquads')).nquads[0] ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }

  async #make<Key extends string>(work: Work, key: Key): Promise<AnswerOf<Key>> {
    const answer = await this.#threads.run(work, this.#threads.budget());
    if (key in answer) return answer as AnswerOf<Key>;
    throw 'error' in answer ? unpackError(answer.error) : otherKind();
  }

  async #identifyAll(
    body: Uint8Array,
    ranges: readonly number[],
    options: Options & Pick<IdentifyWork, 'world'>,
    budget: RequestBudget,
  ): Promise<Identified> {
    const shared = inSharedMemory(body).buffer;
    const tasks = cut(ranges).map((part) =>
      this.#identifyPart({ kind: 'identify', body: shared, ranges: part, ...options }, budget),
    );
    return joinedResults(await Promise.all(tasks));
  }

  /** A statement that exhausts its thread is answered `too_complex`; the others of the task are done again. */
  async #identifyPart(work: IdentifyWork, budget: RequestBudget): Promise<UnpackedResults> {
    const { ranges } = work;
    if (ranges.length === 0) return joinedResults([]);
    const answer = await this.#threads.run(work, budget);
    if ('results' in answer) return unpackResults(answer.results);
    if (!('exhausted' in answer)) throw 'error' in answer ? unpackError(answer.error) : otherKind();
    if (budget.isSpent) return tooComplexResults(ranges.length / 2);
    const guilty = 2 * Math.max(answer.exhausted - 1, 0);
    return joinedResults([
      await this.#identifyPart({ ...work, ranges: ranges.slice(0, guilty) }, budget),
      tooComplexResults(1),
      await this.#identifyPart({ ...work, ranges: ranges.slice(guilty + 2) }, budget),
    ]);
  }
}

function tooComplexResults(count: number): UnpackedResults {
  const packer = new ResultPacker();
  for (let at = 0; at < count; at += 1) packer.addError(tooComplex());
  return unpackResults(packer.packed());
}

function otherKind(): TypeError {
  return new TypeError('A thread answered with the result of another kind of task.');
}

/** Tasks that canonicalize documents, and refuse those that would lose members. */
function canonicalWorks(documents: readonly Uint8Array[], { digests }: { digests: boolean }): NQuadsWork[] {
  return Array.from({ length: Math.ceil(documents.length / taskStatements) }, (_, at) => {
    const part = documents.slice(at * taskStatements, (at + 1) * taskStatements);
    return nquadsWork(part, { canonical: true, covered: true, digests });
  });
}

function nquadsWork(
  documents: readonly Uint8Array[],
  options: Pick<NQuadsWork, 'canonical' | 'covered' | 'digests'>,
): NQuadsWork {
  const { body, ranges } = joinedBodies(documents);
  return { kind: 'nquads', body: inSharedMemory(body).buffer, ranges, ...options };
}

/** The same bytes where threads can read them. */
function inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const isShared = bytes.buffer instanceof SharedArrayBuffer && bytes.length === bytes.buffer.byteLength;
  if (isShared) return bytes as Uint8Array<SharedArrayBuffer>;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Cuts ranges into parts for one task each. */
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
