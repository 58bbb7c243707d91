import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../domain/integrity/cid.ts';
import type { Place, Referring, ReferringQuery, ReferringStatement } from '../../domain/integrity/ports.ts';
import type { TimeSlices } from '../time-slices.ts';
import { referenceTarget } from './entries.ts';
import { intersection, type Step, union } from './postings.ts';
import type { ReferenceReads } from './reference-reads.ts';
import { referencesIn } from './statement-rows.ts';
import type { RowScope } from './statement-scopes.ts';

/** An identifier with fewer references than this is read at one go. */
const fewReferences = 64;
/** Places in other kinds that are looked into, for an identifier with many references. */
const placesLooked = 32;
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

interface Budget {
  statements: number;
  references: number;
  entries: number;
}

/** What refers to identifiers, for traversals. Each query reads a bounded number of rows. */
export function referringReads(reader: DatabaseSync, index: ReferenceReads, slices: TimeSlices) {
  const bySeq = reader.prepare(
    `SELECT rdfc_digest, trusted, kind, refs,
       CASE kind WHEN 'AssociationRegistration' THEN CAST(jcs AS TEXT) ->> '$.type' END AS association_type
     FROM statements WHERE seq = ?`,
  );

  function statementAt(seq: number): ReferringStatement | undefined {
    const row = bySeq.get(seq);
    if (!row) return undefined;
    return {
      rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
      kind: String(row.kind),
      references: referencesIn(row),
      isTrusted: row.trusted === 1,
      associationType: shortText(row.association_type),
    };
  }

  function sources(target: number, query: ReferringQuery, rows: RowScope): Source[] {
    const few = index.few(target, rows.trusted, fewReferences);
    if (few) return fewSources(few, query);
    const source = (place: Place & { limit: number }): Source => {
      const groups = rows.trusted.map((trusted) => index.postings(target, { ...place, trusted }));
      const parts = [union(groups), ...(rows.listed ? [rows.listed] : [])];
      return { ...place, steps: intersection(parts, Number.MAX_SAFE_INTEGER) };
    };
    const others = query.beside ? [...otherPlaces(target, query.beside, rows)] : [];
    return [...query.places, ...others].map(source);
  }

  /** The last one has a limit of 0: it tells whether there is more. */
  function* otherPlaces(
    target: number,
    { kinds, limit }: NonNullable<ReferringQuery['beside']>,
    { trusted }: RowScope,
  ) {
    const groups = index.groups(target, trusted).filter(({ kind }) => !kinds.includes(kind));
    let left = placesLooked;
    for (const place of groups.take(placesLooked + 1)) yield { ...place, limit: left-- > 0 ? limit : 0 };
  }

  async function take(
    source: Source,
    identifier: string,
    rows: RowScope,
    budget: Budget,
  ): Promise<Referring> {
    const { role, limit, steps } = source;
    const found: { role: string; statement: ReferringStatement }[] = [];
    let looked = 0;
    for (const { seq, isMember } of steps) {
      if (looked++ === entriesLooked || budget.entries-- <= 0) return { found, isCut: true };
      if (isMember && rows.sees(seq)) {
        if (found.length === limit || budget.statements === 0 || budget.references <= 0)
          return { found, isCut: true };
        const statement = statementAt(seq);
        if (statement?.references.some((it) => it.role === role && it.identifier === identifier)) {
          found.push({ role, statement });
          budget.statements -= 1;
          budget.references -= statement.references.length;
        }
      }
      await slices.step();
    }
    return { found, isCut: false };
  }

  return async function referringTo(query: ReferringQuery, rows: RowScope): Promise<Referring[]> {
    const budget = {
      statements: query.most,
      references: Math.min(referencesRead * query.most, referencesReadInAll),
      entries: entriesLookedInAll,
    };
    const answers: Referring[] = [];
    for (const identifier of query.identifiers) {
      const parts: Referring[] = [];
      for (const source of sources(referenceTarget(identifier), query, rows))
        parts.push(await take(source, identifier, rows, budget));
      answers.push({
        found: parts.flatMap(({ found }) => found),
        isCut: parts.some(({ isCut }) => isCut),
      });
    }
    return answers;
  };
}

/** Entries by place, newest first: the places that were asked for, then others; those that have any. */
function fewSources(entries: readonly (Place & { seq: number })[], query: ReferringQuery): Source[] {
  const { places, beside } = query;
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
  if (!beside) return asked;
  const others = found.values().filter(({ kind }) => !beside.kinds.includes(kind));
  return [...asked, ...others.map((source) => ({ ...source, limit: beside.limit }))];
}

function placeKey(role: string, kind: string): string {
  return `${role.length} ${role}${kind}`;
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value.length <= typeLength ? value : null;
}
