import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type {
  Place,
  Referring,
  ReferringQuery,
  ReferringStatement,
} from '../../../domain/integrity/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { referenceTarget } from '../index/entries.ts';
import { intersection, type Step, union } from '../index/postings.ts';
import { referencesIn } from '../statements/statement-rows.ts';
import type { RowScope } from '../statements/statement-scopes.ts';
import type { ReferenceReads } from './reference-reads.ts';

/** An identifier with fewer references than this is read at one go. */
const fewReferences = 64;
/** Places in other kinds that are shown of an identifier. */
const placesShown = 32;
/** Entries that are looked at in one place, and for a whole query. */
const entriesLooked = 20_000;
const entriesLookedInAll = 200_000;
/** References that are read for each statement wanted, and for a whole query: some statements have thousands. */
const referencesRead = 32;
const referencesReadInAll = 200_000;
/** An association's type that is longer is none. */
const typeLength = 100;

interface Source extends Place {
  readonly limit: number;
  readonly steps: Iterable<Step>;
}

interface Sources {
  /** The places that were asked for, as far as they have any entries. */
  readonly asked: readonly Source[];
  /** Places in other kinds, by role and kind. */
  readonly others: Iterable<Source>;
}

/** What one query has read, and what it may still read. */
interface Reading {
  readonly read: Map<number, ReferringStatement | undefined>;
  statements: number;
  references: number;
  entries: number;
}

/** What refers to identifiers, for traversals. Each query reads a bounded number of rows. */
export function referringReads(reader: DatabaseSync, index: ReferenceReads) {
  const bySeq = reader.prepare(
    `SELECT rdfc_digest, trusted, kind, refs,
       CASE kind WHEN 'AssociationRegistration' THEN CAST(jcs AS TEXT) ->> '$.type' END AS association_type
     FROM statements WHERE seq = ?`,
  );

  /** Several identifiers of a query can stand in the same large statement. */
  function statementAt(seq: number, reading: Reading): ReferringStatement | undefined {
    if (reading.read.has(seq)) return reading.read.get(seq);
    const row = bySeq.get(seq);
    const statement = row && {
      rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
      kind: String(row.kind),
      references: referencesIn(row),
      isTrusted: row.trusted === 1,
      associationType: shortText(row.association_type),
    };
    reading.references -= statement?.references.length ?? 0;
    reading.read.set(seq, statement);
    return statement;
  }

  function sourcesOf(target: number, query: ReferringQuery, rows: RowScope): Sources {
    const few = index.few(target, rows.trusted, fewReferences);
    if (few) return fewSources(few, query);
    const source = (place: Place & { limit: number }): Source => {
      const groups = rows.trusted.map((trusted) => index.postings(target, { ...place, trusted }));
      const parts = [union(groups), ...(rows.listed ? [rows.listed] : [])];
      return { ...place, steps: intersection(parts, Number.MAX_SAFE_INTEGER) };
    };
    const { places, beside } = query;
    const others = beside ? otherPlaces(target, beside, rows).map(source) : [];
    return { asked: places.map(source), others };
  }

  function* otherPlaces(
    target: number,
    { kinds, limit }: NonNullable<ReferringQuery['beside']>,
    { trusted }: RowScope,
  ) {
    for (const place of index.groups(target, trusted)) {
      const isKnown = trusted.some(
        (value) => value < place.trusted && index.has(target, { ...place, trusted: value }),
      );
      if (!isKnown && !kinds.includes(place.kind)) yield { ...place, limit };
    }
  }

  async function take(
    { role, limit, steps }: Source,
    identifier: string,
    rows: RowScope,
    reading: Reading,
  ): Promise<Referring> {
    const found: { role: string; statement: ReferringStatement }[] = [];
    let looked = 0;
    for (const { seq, isMember } of steps) {
      if (looked++ === entriesLooked || reading.entries-- <= 0) return { found, isCut: true };
      if (isMember && rows.sees(seq)) {
        if (found.length === limit || reading.statements === 0 || reading.references <= 0)
          return { found, isCut: true };
        const statement = statementAt(seq, reading);
        if (statement?.references.some((it) => it.role === role && it.identifier === identifier)) {
          found.push({ role, statement });
          reading.statements -= 1;
        }
      }
      await yieldToEventLoop();
    }
    return { found, isCut: false };
  }

  /** Only places in which the reader sees anything count; one more than are shown is looked for. */
  async function takeOthers(others: Iterable<Source>, identifier: string, rows: RowScope, reading: Reading) {
    const parts: Referring[] = [];
    for (const source of others) {
      const limit = parts.length < placesShown ? source.limit : 0;
      const part = await take({ ...source, limit }, identifier, rows, reading);
      if (part.found.length > 0 || part.isCut) parts.push(part);
      if (parts.length > placesShown || reading.entries <= 0) break;
    }
    return parts;
  }

  return async function referringTo(query: ReferringQuery, rows: RowScope): Promise<Referring[]> {
    const reading = {
      read: new Map(),
      statements: query.most,
      references: Math.min(referencesRead * query.most, referencesReadInAll),
      entries: entriesLookedInAll,
    };
    const answers: Referring[] = [];
    for (const identifier of query.identifiers) {
      const { asked, others } = sourcesOf(referenceTarget(identifier), query, rows);
      const parts: Referring[] = [];
      for (const source of asked) parts.push(await take(source, identifier, rows, reading));
      parts.push(...(await takeOthers(others, identifier, rows, reading)));
      answers.push({
        found: parts.flatMap(({ found }) => found),
        isCut: parts.some(({ isCut }) => isCut),
      });
      await yieldToEventLoop();
    }
    return answers;
  };
}

/** Entries by place, each newest first. */
function fewSources(
  entries: readonly (Place & { seq: number })[],
  { places, beside }: ReferringQuery,
): Sources {
  const found = new Map<string, Place & { steps: Step[] }>();
  for (const { role, kind, seq } of entries.toSorted((one, other) => other.seq - one.seq)) {
    const key = placeKey(role, kind);
    const source = found.get(key);
    if (source) source.steps.push({ seq, isMember: true });
    else found.set(key, { role, kind, steps: [{ seq, isMember: true }] });
  }
  const asked = places.flatMap(({ role, kind, limit }) => {
    const source = found.get(placeKey(role, kind));
    return source ? [{ ...source, limit }] : [];
  });
  const others = beside ? [...found.values()].filter(({ kind }) => !beside.kinds.includes(kind)) : [];
  const limit = beside?.limit ?? 0;
  return { asked, others: others.toSorted(inOrder).map((source) => ({ ...source, limit })) };
}

function inOrder(one: Place, other: Place): number {
  const [a, b] = one.role === other.role ? [one.kind, other.kind] : [one.role, other.role];
  return a < b ? -1 : 1;
}

function placeKey(role: string, kind: string): string {
  return `${role.length} ${role}${kind}`;
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value.length <= typeLength ? value : null;
}
