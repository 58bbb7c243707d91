import canonize, { type Quad } from 'rdf-canonize';
import MessageDigest from 'rdf-canonize/lib/MessageDigest.js';
import { messageOf, ServiceError } from '../../errors.ts';

export const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

export interface CanonicalizationLimits {
  /**
   * How often similar blank nodes may be compared in depth: the number of such nodes to this power. 0 refuses similar
   * nodes; 3 is enough for every test vector of the standard.
   */
  readonly workFactor: number;
  /** Limit on the CPU time of this thread, checked now and then. */
  readonly cpuMs?: number;
}

export interface CanonicalizationOptions extends CanonicalizationLimits {
  /** Statement ids use the default, SHA-256. RDFC-1.0 also permits SHA-384. */
  readonly hash?: 'sha256' | 'sha384';
  /** Receives the canonical label of each input blank node label. */
  readonly issued?: Map<string, string>;
}

/**
 * RDF Dataset Canonicalization RDFC-1.0: canonical N-Quads, each line ending in LF.
 * @throws ServiceError `too_complex` beyond the limits.
 */
export async function canonicalNQuads(
  quads: readonly Quad[],
  { workFactor, cpuMs, hash = 'sha256', issued = new Map() }: CanonicalizationOptions,
): Promise<string> {
  const signal = cpuMs === undefined ? undefined : new CpuTimeout(cpuMs);
  const hasSurrogates = quads.some(holdsSurrogate);
  const createMessageDigest = () => new CodePointDigest(hash);
  try {
    const nquads = await canonize.canonize(quads, {
      algorithm: 'RDFC-1.0',
      ...(hasSurrogates ? { createMessageDigest } : { messageDigestAlgorithm: hash }),
      maxWorkFactor: workFactor,
      canonicalIdMap: issued,
      ...(signal && { signal }),
    });
    return hasSurrogates ? sortedNQuads(nquads.split(/(?<=\n)/)).join('') : nquads;
  } catch (cause) {
    if (signal?.aborted || /deep iterations/.test(messageOf(cause))) {
      const message = 'The document has too many similar blank nodes. Give them IRIs.';
      throw new ServiceError('too_complex', message, { cause });
    }
    throw cause;
  }
}

/** Is aborted when this thread has used an amount of CPU time. A process that is paused uses none. */
class CpuTimeout {
  readonly reason = 'The limit on CPU time was reached.';
  readonly #start = process.threadCpuUsage();
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get aborted(): boolean {
    const { user, system } = process.threadCpuUsage(this.#start);
    return user + system > 1_000 * this.#limitMs;
  }
}

/** Surrogate code units, and higher code units that encode smaller code points. */
export const surrogate = /[\ud800-\udfff]/;
const aboveSurrogates = /[\ue000-\uffff]/;

/** Sorts lines by code points, as RDFC-1.0 requires. JavaScript compares code units. */
export function sortedNQuads(lines: readonly string[]): string[] {
  const isOrderedByCodeUnits =
    !lines.some((line) => surrogate.test(line)) || !lines.some((line) => aboveSurrogates.test(line));
  if (isOrderedByCodeUnits) return lines.toSorted();
  return lines.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

function holdsSurrogate({ subject, predicate, object, graph }: Quad): boolean {
  return [subject, predicate, object, graph].some(({ value }) => surrogate.test(value));
}

/** The hash of RDFC-1.0 with the quads of a blank node (4.6.3, step 4) sorted by code points. */
class CodePointDigest {
  readonly #digest: MessageDigest;
  readonly #parts: string[] = [];

  constructor(hash: 'sha256' | 'sha384') {
    this.#digest = new MessageDigest(hash);
  }

  update(part: string): void {
    this.#parts.push(part);
  }

  digest(): string {
    const areQuads = this.#parts.every((part) => part.endsWith(' .\n'));
    for (const part of areQuads ? sortedNQuads(this.#parts) : this.#parts) this.#digest.update(part);
    return this.#digest.digest();
  }
}

/** Removes duplicates, because a dataset is a set and JSON-LD can express one quad twice. */
export function distinctQuads(quads: readonly Quad[]): Quad[] {
  const { serializeQuadComponents } = canonize.NQuads;
  const seen = new Map<string, Quad>();
  for (const quad of quads) {
    const { subject, predicate, object, graph } = quad;
    seen.set(serializeQuadComponents(subject, predicate, object, graph), quad);
  }
  return seen.size === quads.length ? [...quads] : [...seen.values()];
}

export function serializeNQuads(quads: readonly Quad[]): string {
  return canonize.NQuads.serialize(quads);
}
