import { type ErrorCode, type ErrorDetail, messageOf, ServiceError } from '../src/domain/errors.ts';
import type { ContextSet } from '../src/domain/integrity/contexts/world.ts';
import type { IdentifiedStatement } from '../src/domain/integrity/identification/identify.ts';
import { cidUrn } from '../src/domain/integrity/identifiers/cid.ts';
import type {
  Identification,
  Identified,
  RefusedStatement,
  StatementRow,
  UncoveredStatement,
} from '../src/domain/integrity/ports.ts';
import { PackedNames, type StatementName } from '../src/domain/integrity/statements/packed-names.ts';
import { PackedRows, type PackedSlice, RowPacker } from '../src/domain/integrity/statements/packed-rows.ts';

/** The results of one task in a form that a thread can send. */
export interface PackedResults extends Omit<Identified, 'refused' | 'names' | 'rows'> {
  readonly refused: readonly { readonly index: number; readonly error: PackedError }[];
  /** A text of `PackedNames`. */
  readonly names: string;
  readonly rows: PackedSlice;
}

/** Packs the outcomes of a task one by one. Mostly bytes and texts are kept until its end, so little survives a collection. */
export class ResultPacker {
  #count = 0;
  readonly #refused: PackedResults['refused'][number][] = [];
  readonly #signed: number[] = [];
  readonly #uncovered: UncoveredStatement[] = [];
  readonly #contextSets = new Map<string, ContextSet>();
  readonly #names: string[] = [];
  readonly #rows = new RowPacker();

  add(statement: IdentifiedStatement): void {
    const { jcsCid, rdfcCid, contexts, isSigned, isCovered, uncovered: places } = statement;
    // Rows count as trusted. A caller that gave other contexts decides itself, see `Identifier.identifyUnder`.
    this.#rows.add({ ...statement, contextSet: contexts.cid, isTrusted: true });
    const cids = { jcs_cid: jcsCid.text, rdfc_cid: rdfcCid.text };
    const name: StatementName = { statement_id: cidUrn(rdfcCid), ...cids };
    this.#names.push(JSON.stringify(name));
    this.#contextSets.set(contexts.cid, contexts);
    const index = this.#count++;
    if (isSigned) this.#signed.push(index);
    if (!isCovered) this.#uncovered.push({ index, places });
  }

  addError(error: unknown): void {
    this.#refused.push({ index: this.#count++, error: packError(error) });
  }

  packed(): PackedResults {
    return {
      count: this.#count,
      refused: this.#refused,
      signed: this.#signed,
      uncovered: this.#uncovered,
      contextSets: [...this.#contextSets.values()],
      names: this.#names.join(),
      rows: this.#rows.slice(),
    };
  }
}

export interface UnpackedResults extends Identified {
  readonly rows: PackedRows;
}

export function unpackResults({ refused, names, rows, ...facts }: PackedResults): UnpackedResults {
  return {
    ...facts,
    refused: refused.map(({ index, error }) => ({ index, error: unpackError(error) })),
    names: new PackedNames([names]),
    rows: new PackedRows([rows]),
  };
}

/** The results of tasks whose statements follow one another. */
export function joinedResults(parts: readonly UnpackedResults[]): UnpackedResults {
  let count = 0;
  const refused: RefusedStatement[] = [];
  const signed: number[] = [];
  const uncovered: UncoveredStatement[] = [];
  for (const part of parts) {
    for (const { index, error } of part.refused) refused.push({ index: count + index, error });
    for (const index of part.signed) signed.push(count + index);
    for (const { index, places } of part.uncovered) uncovered.push({ index: count + index, places });
    count += part.count;
  }
  const sets = new Map(parts.flatMap(({ contextSets }) => contextSets.map((set) => [set.cid, set])));
  const names = new PackedNames(parts.flatMap((part) => part.names.texts));
  const rows = new PackedRows(parts.flatMap((part) => part.rows.slices));
  return { count, refused, signed, uncovered, contextSets: [...sets.values()], names, rows };
}

/** The result of each statement, for work that looks at all of them. */
export function eachResult(identified: Identified): Identification[] {
  const { count, refused, signed, uncovered, contextSets, rows } = identified;
  const errors = new Map(refused.map(({ index, error }) => [index, error]));
  const areSigned = new Set(signed);
  const areUncovered = new Set(uncovered.map(({ index }) => index));
  const sets = new Map(contextSets.map((set) => [set.cid, set]));
  const next = rows[Symbol.iterator]();
  return Array.from({ length: count }, (_, index): Identification => {
    const error = errors.get(index);
    if (error) return { error };
    const row: StatementRow = next.next().value;
    const contexts = sets.get(row.contextSet);
    if (!contexts) throw new RangeError('A result lacks the context set of a row.');
    return { row: { ...row, contexts, isSigned: areSigned.has(index), isCovered: !areUncovered.has(index) } };
  });
}

export interface PackedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof ServiceError)) return { code: 'internal', message: messageOf(error) };
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

export function unpackError({ code, message, details }: PackedError): ServiceError {
  return new ServiceError(code, message, details && { details });
}

export function tooComplex(): ServiceError {
  const message = 'Processing the document took too long and was stopped. Make it smaller or simpler.';
  return new ServiceError('too_complex', message);
}
