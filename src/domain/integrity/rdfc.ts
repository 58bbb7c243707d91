import canonize, { type Quad } from 'rdf-canonize';
import { messageOf, ServiceError } from '../errors.ts';

export interface CanonicalizationLimits {
  /**
   * How often blank nodes that look alike may be compared in depth: the number of such nodes to this power.
   * 0 refuses any such pair, 3 serves every vector of the standard.
   */
  readonly workFactor: number;
  /** Wall-clock time after which it gives up; it looks at the clock now and then. */
  readonly timeoutMs?: number;
}

export interface CanonicalizationOptions extends CanonicalizationLimits {
  /** RDFC-1.0 permits SHA-384 beside the default SHA-256. Statement ids use SHA-256. */
  readonly hash?: 'sha256' | 'sha384';
  /** Receives input blank node labels and their canonical labels. */
  readonly issued?: Map<string, string>;
}

/**
 * RDF Dataset Canonicalization RDFC-1.0: canonical N-Quads, each line ending in LF.
 * @throws ServiceError `too_complex` beyond the limits.
 */
export async function canonicalNQuads(
  quads: readonly Quad[],
  { workFactor, timeoutMs, hash = 'sha256', issued = new Map() }: CanonicalizationOptions,
): Promise<string> {
  const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  try {
    return await canonize.canonize(quads, {
      algorithm: 'RDFC-1.0',
      messageDigestAlgorithm: hash,
      maxWorkFactor: workFactor,
      canonicalIdMap: issued,
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted || /deep iterations/.test(messageOf(cause))) {
      throw new ServiceError('too_complex', 'The blank nodes of this document take too long to tell apart.', {
        cause,
      });
    }
    throw cause;
  }
}

/** @throws ServiceError `invalid_request` for text that is no N-Quads. */
export function parseNQuads(text: string): Quad[] {
  try {
    return canonize.NQuads.parse(text);
  } catch (cause) {
    throw new ServiceError('invalid_request', `The text is not N-Quads: ${messageOf(cause)}`, { cause });
  }
}

export function serializeNQuads(quads: readonly Quad[]): string {
  return canonize.NQuads.serialize(quads);
}
