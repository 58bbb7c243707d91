import { ServiceError } from '../src/domain/errors.ts';
import type { ContextSet } from '../src/domain/integrity/contexts/world.ts';
import type { IdentifiedStatement } from '../src/domain/integrity/identification/identify.ts';
import type {
  Identification,
  IdentificationResult,
  Identified,
  IdentifiedNames,
} from '../src/domain/integrity/ports.ts';
import {
  PackedRows,
  type PackedSlice,
  RowPacker,
  type RowToPack,
} from '../src/domain/integrity/statements/packed-rows.ts';
import { type PackedError, packError, unpackError } from './packed-error.ts';

/** The results of one task: the rows, which go on to a store as they are, and JSON of what the main thread reads. */
export interface PackedResults {
  readonly rows: PackedSlice;
  /** Of `SentResults`. */
  readonly results: string;
}

type SentResult =
  | { readonly error: PackedError }
  | (Omit<IdentifiedNames, 'contexts'> & {
      /** The position of its contexts in `sets`. */
      readonly set: number;
    });

interface SentResults {
  readonly sets: readonly ContextSet[];
  readonly each: readonly SentResult[];
}

/** Packs the outcomes of a task one by one. Until its end only bytes and texts are kept, so little survives a collection. */
export class ResultPacker {
  readonly #rows = new RowPacker();
  readonly #sets: ContextSet[] = [];
  readonly #each: string[] = [];

  add(statement: IdentifiedStatement): void {
    const { contexts, ...names } = namesOf(statement);
    this.#rows.add(rowOf(statement));
    let set = this.#sets.findIndex(({ cid }) => cid === contexts.cid);
    if (set < 0) set = this.#sets.push(contexts) - 1;
    this.#push({ ...names, set });
  }

  addError(error: unknown): void {
    this.#push({ error: packError(error) });
  }

  packed(): PackedResults {
    const results = `{"sets":${JSON.stringify(this.#sets)},"each":[${this.#each.join()}]}`;
    return { rows: this.#rows.slice(), results };
  }

  #push(result: SentResult): void {
    this.#each.push(JSON.stringify(result));
  }
}

/** Results for the thread on which they were made. */
export function identified(outcomes: readonly (IdentifiedStatement | ServiceError)[]): Identified {
  const rows = new RowPacker();
  const results = outcomes.map((outcome): IdentificationResult => {
    if (outcome instanceof ServiceError) return { error: outcome };
    rows.add(rowOf(outcome));
    return namesOf(outcome);
  });
  return { results, rows: new PackedRows([rows.slice()]) };
}

function namesOf(statement: IdentifiedStatement): IdentifiedNames {
  const { jcsCid, rdfcCid, contexts, isSigned, isCovered, uncovered } = statement;
  return { jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, contexts, isSigned, isCovered, uncovered };
}

/** Rows count as trusted. A caller that gave other contexts decides itself, see `Identifier.identifyUnder`. */
function rowOf(statement: IdentifiedStatement): RowToPack {
  return { ...statement, contextSet: statement.contexts.cid, isTrusted: true };
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
    rows: new PackedRows([rows]),
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
