import type { DatabaseSync } from 'node:sqlite';
import { type Cid, codecs, isStatementCid, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { placeNumber } from '../../../domain/integrity/statements/places.ts';
import type {
  ListedStatement,
  PlacedStatement,
  ReferringRow,
  StatementList,
  StatementRows,
} from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { pageBytes } from '../../record-pages.ts';
import { boundLimit } from '../bound-limit.ts';
import { namingDamage } from '../errors.ts';
import { type Partition, referenceTarget } from '../index/entries.ts';
import { type ListEntry, readMark as readListMark, statementLists } from './lists.ts';
import { readChecks } from './read-checks.ts';
import {
  LightRow,
  membershipReads,
  type Row,
  readsByJcs,
  readsBySeq,
  statementRow,
} from './statement-rows.ts';
import { termReads } from './terms.ts';

/** Rows to read at once. Some are large. */
const rowsAtOnce = 32;
/** `referring` answers null when the identifiers in its rows have more characters. */
const referringLength = 1 << 24;

type Entry = readonly [target: number, place: number, seq: number];

export function embeddedRows(reader: DatabaseSync, partition: Partition): StatementRows {
  const terms = termReads(reader);
  const entriesOf = statementLists(reader, partition, terms);
  const memberships = membershipReads(reader);
  const checks = readChecks(reader, partition);
  const wholeBySeq = readsBySeq(reader, partition, 'whole');
  const lightBySeq = readsBySeq(reader, partition, 'light');
  const wholeByJcs = readsByJcs(reader, partition, 'whole');
  const placedByJcs = readsByJcs(reader, partition, 'placed');
  const newest = reader.prepare(`SELECT max(seq) AS seq FROM ${partition}_rows`);
  const entriesTo = reader.prepare(
    `SELECT target, place, seq FROM json_each(?) AS wanted CROSS JOIN ${partition}_entries ON target = wanted.value AND place >= 0
     ${boundLimit}`,
  );
  // An object for each entry takes longer than finding it.
  entriesTo.setReturnArrays(true);

  /** Row numbers for each identifier, newest first; null when there may be more than `limit`. */
  function referringTo(
    identifiers: readonly string[],
    places: readonly number[] | null,
    limit: number,
  ): (number[] | null)[] {
    const targets = identifiers.map(referenceTarget);
    const distinct = [...new Set(targets)];
    const most = distinct.length * (limit + 1);
    const found = entriesTo.all(JSON.stringify(distinct), most) as unknown as Entry[];
    // One identifier may have used the room of others.
    if (found.length === most && identifiers.length > 1)
      return identifiers.flatMap((identifier) => referringTo([identifier], places, limit));
    const byTarget = Map.groupBy(found, ([target]) => target);
    return targets.map((target) => {
      const entries = byTarget.get(target) ?? [];
      if (entries.length > limit) return null;
      const meant = entries.filter(([, place]) => places === null || places.includes(place));
      return [...new Set(meant.map(([, , seq]) => seq))].sort((one, other) => other - one);
    });
  }

  function listed(list: StatementList, after: string | null): AsyncGenerator<ListEntry> {
    const entries = entriesOf(list, after);
    if (list.by !== 'storing') return entries;
    return checks.unbroken(entries, after === null ? null : Number(readListMark(after, 1)[0]));
  }

  function placeOf(row: Row): PlacedStatement {
    const jcsCid = makeCid(codecs.jcs, row.jcs_digest as Uint8Array);
    return { jcsCid, memberships: memberships(row), position: Number(row.seq) };
  }

  /** What rows say, in the order of their names; undefined for unknown ones. */
  async function byJcs<Found>(
    jcsCids: readonly Cid[],
    read: ReturnType<typeof readsByJcs>,
    foundIn: (row: Row) => Found & Pick<PlacedStatement, 'jcsCid'>,
  ): Promise<(Found | undefined)[]> {
    const found = new Map<string, Found>();
    const wanted = jcsCids.filter((cid) => isStatementCid(cid, codecs.jcs));
    for (let at = 0; at < wanted.length; at += rowsAtOnce) {
      for (const row of read(wanted.slice(at, at + rowsAtOnce).map(({ digest }) => digest))) {
        const one = foundIn(row);
        found.set(one.jcsCid.text, one);
      }
      await yieldToEventLoop();
    }
    return jcsCids.map(({ text }) => found.get(text));
  }

  return namingDamage(`the ${partition} statements`, {
    async page(list, after, limit) {
      const rows: ListedStatement[] = [];
      let length = 0;
      for await (const entries of chunks(listed(list, after), Math.min(limit + 1, rowsAtOnce))) {
        const found = wholeBySeq(entries.map(({ seq }) => seq));
        for (const { seq, mark } of entries) {
          const row = found.get(seq);
          if (!row) checks.missing(seq);
          const statement = row && statementRow(row, partition, terms);
          if (!statement || !isOn(list, statement)) continue;
          if (rows.length === limit || length >= pageBytes) return { rows, next: rows.at(-1)?.mark ?? null };
          rows.push({ ...statement, memberships: memberships(row), position: seq, mark });
          length += statement.jcs.length + String(row.refs).length;
        }
        await yieldToEventLoop();
      }
      if (list.by === 'graph' && partition === 'verified') checks.demandWholeGraph(list.graphId);
      return { rows, next: null };
    },

    async referring(identifiers, places, limit) {
      // Most stores have no unverified rows.
      if (newest.get()?.seq === null) return identifiers.map(() => []);
      const answers: (number[] | null)[] = [];
      for (let at = 0; at < identifiers.length; at += rowsAtOnce) {
        answers.push(...referringTo(identifiers.slice(at, at + rowsAtOnce), places, limit));
        await yieldToEventLoop();
      }
      const known = new Map<number, ReferringRow>();
      let length = 0;
      const wanted = [...new Set(answers.flatMap((seqs) => seqs ?? []))];
      for (let at = 0; at < wanted.length && length < referringLength; at += rowsAtOnce) {
        for (const [seq, row] of lightBySeq(wanted.slice(at, at + rowsAtOnce))) {
          const light = new LightRow(row, partition, terms, memberships);
          known.set(seq, light);
          for (const { identifier } of light.references) length += identifier.length;
        }
        await yieldToEventLoop();
      }
      const isWhole = (seqs: readonly number[]) =>
        length < referringLength || seqs.every((seq) => known.has(seq));
      return answers.map((seqs) =>
        seqs && isWhole(seqs) ? seqs.flatMap((seq) => known.get(seq) ?? checks.missing(seq)) : null,
      );
    },

    whole: (jcsCids) =>
      byJcs(jcsCids, wholeByJcs, (row) => ({ ...statementRow(row, partition, terms), ...placeOf(row) })),

    placed: (jcsCids) => byJcs(jcsCids, placedByJcs, placeOf),
  });
}

async function* chunks<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Whether a row is really on a list, and not only by a hash collision. */
function isOn(list: StatementList, { rdfcCid, kind, references }: StatementRow): boolean {
  if (list.by === 'id') return rdfcCid.text === list.rdfcCid.text;
  if (list.by !== 'reference') return true;
  return references.some(
    ({ identifier, role }) =>
      identifier === list.identifier && list.places.includes(placeNumber({ role, kind })),
  );
}
