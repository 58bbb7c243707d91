import type { ServiceError } from '../src/domain/errors.ts';
import type { ContextSet } from '../src/domain/integrity/contexts/world.ts';
import type { IdentifiedStatement } from '../src/domain/integrity/identification/identify.ts';
import type { Identification, IdentificationResult, Identified } from '../src/domain/integrity/ports.ts';
import { PackedRows, type PackedSlice } from '../src/domain/integrity/statements/packed-rows.ts';
import { type PackedError, packError, unpackError } from './packed-error.ts';

/** The results of one task: the rows, which go on to a store as they are, and JSON of what the main thread reads. */
export interface PackedResults {
  readonly rows: readonly PackedSlice[];
  readonly results: string;
}

type SentResult =
  | { readonly error: PackedError }
  | (Pick<IdentifiedStatement, 'isSigned' | 'isCovered' | 'uncovered'> & {
      readonly jcsCid: string;
      readonly rdfcCid: string;
      readonly set: number;
    });

interface SentResults {
  readonly sets: readonly ContextSet[];
  readonly each: readonly SentResult[];
}

/** Results for the thread on which they were made. */
export function identified(outcomes: readonly (IdentifiedStatement | ServiceError)[]): Identified {
  const results = outcomes.map((outcome): IdentificationResult => {
    if (outcome instanceof Error) return { error: outcome };
    const { jcsCid, rdfcCid, contexts, isSigned, isCovered, uncovered } = outcome;
    return { jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, contexts, isSigned, isCovered, uncovered };
  });
  return { results, rows: packRows(outcomes) };
}

export function packResults(outcomes: readonly (IdentifiedStatement | Error)[]): PackedResults {
  const sets = new Map<string, ContextSet>();
  const each = outcomes.map((outcome): SentResult => {
    if (outcome instanceof Error) return { error: packError(outcome) };
    const { jcsCid, rdfcCid, contexts, isSigned, isCovered, uncovered } = outcome;
    if (!sets.has(contexts.cid)) sets.set(contexts.cid, contexts);
    const set = [...sets.keys()].indexOf(contexts.cid);
    return { jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, isSigned, isCovered, uncovered, set };
  });
  const results: SentResults = { sets: [...sets.values()], each };
  return { rows: packRows(outcomes).slices, results: JSON.stringify(results) };
}

export function unpackResults({ rows, results }: PackedResults): Identified & { readonly rows: PackedRows } {
  const { sets, each } = JSON.parse(results) as SentResults;
  return {
    results: each.map((result) => {
      if ('error' in result) return { error: unpackError(result.error) };
      const { set, ...told } = result;
      const contexts = sets[set];
      if (!contexts) throw new RangeError('A packed result names a context set that is missing.');
      return { ...told, contexts };
    }),
    rows: new PackedRows(rows),
  };
}

/** Each result with its row, for work that looks at all of them. */
export function withRows({ results, rows }: Identified): Identification[] {
  const next = rows[Symbol.iterator]();
  return results.map((result) => {
    if ('error' in result) return result;
    const { contexts, isSigned, isCovered, uncovered } = result;
    return { row: { ...next.next().value, contexts, isSigned, isCovered, uncovered } };
  });
}

function packRows(outcomes: readonly (IdentifiedStatement | Error)[]): PackedRows {
  const identified = outcomes.flatMap((outcome) => (outcome instanceof Error ? [] : [outcome]));
  return PackedRows.of(
    identified.map(({ contexts, jcs, ...row }) => ({
      ...row,
      jcs: Buffer.from(jcs),
      contextSet: contexts.cid,
      isTrusted: true,
    })),
  );
}
