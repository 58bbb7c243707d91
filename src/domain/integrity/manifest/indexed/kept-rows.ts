import { Arena } from '../../../arena.ts';
import { ServiceError } from '../../../errors.ts';
import { type Cid, codecs, makeCid } from '../../identifiers/cid.ts';
import { digestHash } from '../../identifiers/digest-set.ts';
import type { StatementRow } from '../../ports.ts';
import { jcsText, packReferences, rowAt, rowLength, unpackReferences } from '../../statements/packed-rows.ts';
import { allPlaces, placeNumber } from '../../statements/places.ts';
import {
  associationType,
  type ListedPage,
  type ListedStatement,
  type Membership,
  type PlacedStatement,
  type ReferringRow,
  type StatementList,
  type StatementRows,
  type WholeStatement,
} from '../../statements/rows.ts';
import { hashOfText, Postings } from './postings.ts';

const pageBytes = 8 << 20;
/**
 * The rows of one graph in memory, either verified or not. They are numbered in the order of storing, and kept as bytes: a row
 * takes little more than its JCS.
 */
export class KeptRows implements StatementRows {
  readonly #isTrusted: boolean;
  readonly #memberships: readonly Membership[];
  readonly #arena = new Arena();
  readonly #begins: number[] = [];
  readonly #jcsLengths: number[] = [];
  /** Of the references as JSON, which follow the JCS. */
  readonly #restLengths: number[] = [];
  readonly #times: (number | null)[] = [];
  /** Positions of kind and context set among the terms, two for each row. */
  readonly #termsOf: number[] = [];
  readonly #terms = new Map<string, number>();
  readonly #termTexts: string[] = [];
  readonly #byForm = new Postings();
  readonly #byId = new Postings();
  readonly #byReference = new Postings();

  constructor(isTrusted: boolean, membership: Membership) {
    this.#isTrusted = isTrusted;
    this.#memberships = [membership];
  }

  /** @param row none with its `jcs_cid` is kept. */
  add({ jcsCid, rdfcCid, jcs, kind, contextSet, time, references }: StatementRow): void {
    const number = this.#begins.length;
    const packed = packReferences(references, { kind, jcs: jcsText(jcs) });
    const restBytes = Buffer.from(JSON.stringify(packed));
    this.#begins.push(this.#arena.add([jcsCid.digest, rdfcCid.digest, jcs, restBytes]));
    this.#jcsLengths.push(jcs.length);
    this.#restLengths.push(restBytes.length);
    this.#times.push(time);
    this.#termsOf.push(this.#term(kind), this.#term(contextSet));
    this.#byForm.add(digestHash(jcsCid.digest), number);
    this.#byId.add(digestHash(rdfcCid.digest), number);
    for (const { identifier, role } of references)
      this.#byReference.add(hashAt(hashOfText(identifier), placeNumber({ role, kind })), number);
  }

  async page(list: StatementList, after: string | null, limit: number): Promise<ListedPage> {
    const rows: ListedStatement[] = [];
    let bytes = 0;
    for (const number of this.#numbersOn(list, after === null ? null : this.#numberIn(after))) {
      const row = this.#whole(number);
      if (!this.#isOn(list, row)) continue;
      if (rows.length === limit || bytes > pageBytes) return { rows, next: rows.at(-1)?.mark ?? null };
      rows.push(row);
      bytes += this.#jcsLengths[number] as number;
    }
    return { rows, next: null };
  }

  async referring(identifiers: readonly string[], places: readonly number[] | null, limit: number) {
    const made = new Map<number, ReferringRow>();
    const referringTo = (identifier: string) => {
      const found: ReferringRow[] = [];
      for (const number of this.#numbersReferring(identifier, places ?? allPlaces, null)) {
        const row = made.getOrInsertComputed(number, () => this.#referringRow(number));
        if (refersFrom(row, identifier, places ?? allPlaces) && found.push(row) > limit) return null;
      }
      return found;
    };
    return identifiers.map(referringTo);
  }

  async whole(jcsCids: readonly Cid[]): Promise<(WholeStatement | undefined)[]> {
    return jcsCids.map(({ text, digest }) => {
      for (const number of this.#byForm.above(digestHash(digest), -1)) {
        const row = this.#whole(number);
        if (row.jcsCid.text === text) return row;
      }
      return undefined;
    });
  }

  async placed(jcsCids: readonly Cid[]): Promise<(PlacedStatement | undefined)[]> {
    return await this.whole(jcsCids);
  }

  #numbersOn(list: StatementList, after: number | null): Iterable<number> {
    switch (list.by) {
      case 'reference':
        return this.#numbersReferring(list.identifier, list.places, after);
      case 'id':
        return this.#byId.above(digestHash(list.rdfcCid.digest), after ?? -1);
      case 'time':
        return this.#numbersByTime(after);
      default:
        return this.#latest(after);
    }
  }

  #numbersReferring(identifier: string, places: readonly number[], after: number | null) {
    const text = hashOfText(identifier);
    const hashes = places.map((place) => hashAt(text, place));
    return this.#byReference.below(hashes, after ?? this.#begins.length);
  }

  *#latest(after: number | null): Generator<number> {
    for (let number = (after ?? this.#begins.length) - 1; number >= 0; number -= 1) yield number;
  }

  #numbersByTime(after: number | null): number[] {
    const timeOf = (number: number) => this.#times[number] ?? Number.MIN_SAFE_INTEGER;
    const sorted = [...this.#times.keys()].sort((one, other) => timeOf(other) - timeOf(one) || other - one);
    return after === null ? sorted : sorted.slice(sorted.indexOf(after) + 1);
  }

  #isOn(list: StatementList, row: WholeStatement): boolean {
    switch (list.by) {
      case 'storing':
        return true;
      case 'kind':
        return row.kind === list.kind;
      case 'time':
        return isWithin(row.time, list);
      case 'graph':
        return this.#memberships.some(({ graphId }) => graphId === list.graphId);
      case 'projects':
        return this.#memberships.some(({ projectId }) => list.projects.includes(projectId));
      case 'id':
        return row.rdfcCid.text === list.rdfcCid.text;
      case 'reference':
        return refersFrom(row, list.identifier, list.places);
    }
  }

  /** @throws ServiceError `invalid_request`. */
  #numberIn(mark: string): number {
    const number = /^\d{1,9}$/.test(mark) ? Number(mark) : this.#begins.length;
    if (number < this.#begins.length) return number;
    throw new ServiceError('invalid_request', 'This mark does not belong to this list.');
  }

  /** Makes parts when they are read, because lists pass over most rows after a look at their kind. */
  #whole(number: number): ListedStatement {
    const rows = this;
    const begin = this.#begins[number] as number;
    const jcsLength = this.#jcsLengths[number] as number;
    const rowBytes = () => rowAt(rows.#arena.at(begin, rowLength(jcsLength)), 0, jcsLength);
    return {
      get jcsCid() {
        return makeCid(codecs.jcs, rowBytes().jcsDigest);
      },
      get rdfcCid() {
        return makeCid(codecs.rdfc, rowBytes().rdfcDigest);
      },
      get jcs() {
        return rowBytes().jcs;
      },
      get references() {
        const rest = rows.#arena.at(begin + rowLength(jcsLength), rows.#restLengths[number] as number);
        return unpackReferences(JSON.parse(rest.toString()), jcsText(rowBytes().jcs));
      },
      kind: this.#termTexts[this.#termsOf[2 * number] as number] ?? '',
      contextSet: this.#termTexts[this.#termsOf[2 * number + 1] as number] ?? '',
      time: this.#times[number] ?? null,
      isTrusted: this.#isTrusted,
      position: number,
      memberships: this.#memberships,
      mark: String(number),
    };
  }

  #referringRow(number: number): ReferringRow {
    const row = this.#whole(number);
    const { jcs: _, contextSet: _set, position: _position, ...parts } = row;
    const { kind } = row;
    const type = kind === 'AssociationRegistration' ? associationType({ kind, jcs: row.jcs }) : null;
    return { ...parts, associationType: type };
  }

  #term(term: string): number {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    this.#terms.set(term, this.#terms.size);
    return this.#termTexts.push(term) - 1;
  }
}

/** Common identifiers, such as those of registrants, are found at one place without reading the others. */
function hashAt(identifierHash: number, place: number): number {
  return Math.imul(identifierHash ^ Math.imul(place + 1, 0x9e3779b1), 0x01000193) >>> 0;
}

function isWithin(time: number | null, { from, until }: Record<'from' | 'until', number | null>): boolean {
  return time !== null && time >= (from ?? time) && time < (until ?? Number.POSITIVE_INFINITY);
}

function refersFrom(
  { references, kind }: Pick<StatementRow, 'references' | 'kind'>,
  identifier: string,
  places: readonly number[],
): boolean {
  return references.some(
    (it) => it.identifier === identifier && places.includes(placeNumber({ role: it.role, kind })),
  );
}
