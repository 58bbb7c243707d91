import type { ContextSet } from '../src/domain/integrity/contexts/world.ts';
import type { IdentifiedStatement } from '../src/domain/integrity/identification/identify.ts';
import { type Cid, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import type { Identification } from '../src/domain/integrity/ports.ts';
import { type PackedError, packError, unpackError } from './packed-error.ts';

/**
 * The results of one task in three pieces: all JCS texts in one buffer and all digests in another, both
 * transferred without a copy, and the small rest as one JSON text, which crosses threads faster than objects.
 */
export interface PackedResults {
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly digests: Uint8Array<ArrayBuffer>;
  readonly rest: string;
}

const digestLength = 32;
const perStatement = 2 * digestLength;

type Rest =
  | { readonly error: PackedError }
  | (Pick<IdentifiedStatement, 'kind' | 'references' | 'time' | 'isCovered' | 'uncovered'> & {
      /** The texts of both CIDs: cheaper to send than to spell again. */
      readonly rdfc: string;
      readonly jcs: string;
      /** Bytes of its JCS text. */
      readonly length: number;
      /** Position in `sets`. */
      readonly set: number;
    });

interface RestOfAll {
  readonly sets: readonly ContextSet[];
  readonly each: readonly Rest[];
}

export function packResults(results: readonly (IdentifiedStatement | Error)[]): PackedResults {
  const texts: Uint8Array[] = [];
  const digests = new Uint8Array(results.length * perStatement);
  const sets = new Map<string, ContextSet>();
  const each = results.map((result, at): Rest => {
    if (result instanceof Error) return { error: packError(result) };
    const { kind, references, time, isCovered, uncovered, contexts } = result;
    const text = Buffer.from(result.jcs);
    texts.push(text);
    digests.set(result.rdfcCid.digest, at * perStatement);
    digests.set(result.jcsCid.digest, at * perStatement + digestLength);
    if (!sets.has(contexts.cid)) sets.set(contexts.cid, contexts);
    const set = [...sets.keys()].indexOf(contexts.cid);
    const names = { rdfc: result.rdfcCid.text, jcs: result.jcsCid.text };
    return { ...names, kind, references, time, isCovered, uncovered, length: text.length, set };
  });
  const rest: RestOfAll = { sets: [...sets.values()], each };
  return { texts: concatenate(texts), digests, rest: JSON.stringify(rest) };
}

/** A buffer of its own: Buffer.concat may answer a slice of a shared pool, which cannot be transferred. */
function concatenate(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  for (const text of texts) {
    all.set(text, at);
    at += text.length;
  }
  return all;
}

export function unpackResults({ texts, digests, rest }: PackedResults): Identification[] {
  const { sets, each } = JSON.parse(rest) as RestOfAll;
  let start = 0;
  return each.map((one, at) => {
    if ('error' in one) return { error: unpackError(one.error) };
    const { length, set, rdfc, jcs: jcsText, ...row } = one;
    const contexts = sets[set];
    if (!contexts) throw new RangeError('A packed statement names a context set that is not there.');
    const jcs = texts.subarray(start, start + length);
    start += length;
    const rdfcCid = cidAt(digests, at * perStatement, codecs.rdfc, rdfc);
    const jcsCid = cidAt(digests, at * perStatement + digestLength, codecs.jcs, jcsText);
    return { row: { ...row, rdfcCid, jcsCid, jcs, contexts, contextSet: contexts.cid, isTrusted: true } };
  });
}

function cidAt(digests: Uint8Array, at: number, codec: number, text: string): Cid {
  return { text, codec, multihash: 'blake3', digest: digests.subarray(at, at + digestLength) };
}

/** The same for a statement that was identified without a way to another thread. */
export function identifiedRow({ nquads: _, ...statement }: IdentifiedStatement): Identification {
  const { contexts, jcs } = statement;
  return {
    row: { ...statement, jcs: new TextEncoder().encode(jcs), contextSet: contexts.cid, isTrusted: true },
  };
}
