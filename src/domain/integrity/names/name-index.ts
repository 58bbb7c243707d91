import { readCursor, throwBadCursor, writeCursor } from '../../cursors.ts';
import { ServiceError } from '../../errors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import { cidIn } from '../identifiers/cid.ts';
import type { Page, StatementFilter, StatementPage, StatementScope } from '../ports.ts';
import {
  isInScope,
  rowsIn,
  type StatementRowsOfStore,
  storedStatement,
  type WholeStatement,
} from '../statements/rows.ts';
import { fits } from '../statements/search.ts';
import { foldedName } from './name.ts';
import { type NameRecord, type NameRecords, namingKind } from './name-records.ts';

export interface NameIndex {
  /**
   * The names of things, from the newest statement that the reader may see. Things without one are missing.
   * @param ids as in references.
   */
  of(ids: readonly string[], scope: StatementScope): Promise<ReadonlyMap<string, string>>;

  /** The MetadataRegistrations whose name starts with the text, by folded name, and the newest of a name first. */
  search(start: string, filter: StatementFilter, page: Page, scope: StatementScope): Promise<StatementPage>;
}

export function nameIndex(ports: NameReading, same: SameBytes): NameIndex {
  return {
    of: (ids, scope) => namesOfAll(ports, same, ids, scope),
    search: (start, filter, page, scope) => searchNames(ports, { start, filter }, page, scope),
  };
}

const recordsAtOnce = 100;
const idsAtOnce = 500;
/** The most names that are skipped for one answer, because the reader may not see their statements. */
const mostSkipped = 5_000;

/** The names of things. Those without one have the name that the same bytes have by another hash. */
async function namesOfAll(
  ports: NameReading,
  same: SameBytes,
  ids: readonly string[],
  scope: StatementScope,
): Promise<ReadonlyMap<string, string>> {
  const found = await namesOf(ports, ids, scope);
  const known = await same.withReferences(ids.filter((id) => !found.has(id)));
  if (known.size === 0) return found;
  const others = await namesOf(
    ports,
    known
      .values()
      .flatMap(({ names }) => names)
      .toArray(),
    scope,
  );
  for (const [id, { names }] of known) {
    const name = names.map((each) => others.get(each)).find((each) => each !== undefined);
    if (name !== undefined) found.set(id, name);
  }
  return found;
}

async function namesOf(ports: NameReading, ids: readonly string[], scope: StatementScope) {
  const distinct = [...new Set(ids)];
  const found = new Map<string, string>();
  const hidden: string[] = [];
  for (let at = 0; at < distinct.length; at += idsAtOnce) {
    const newest = (await ports.names.among('bySubject', distinct.slice(at, at + idsAtOnce), 1)).flat();
    const statements = await statementsOf(ports.rows, newest, scope);
    for (const { id, subject, name } of newest) {
      if (statements.has(id)) found.set(subject, name);
      else hidden.push(subject);
    }
    await yieldToEventLoop();
  }
  let skipped = 0;
  for (const subject of hidden) {
    for (let after: string | null = null; skipped < mostSkipped; ) {
      const page = await ports.names.page('bySubject', [subject], { after, limit: recordsAtOnce });
      const statements = await statementsOf(ports.rows, page.records, scope);
      const record = page.records.find(({ id }) => statements.has(id));
      if (record) found.set(subject, record.name);
      if (record || page.next === undefined) break;
      skipped += page.records.length;
      after = page.next;
    }
    await yieldToEventLoop();
  }
  return found;
}

export interface NameReading {
  readonly names: Pick<NameRecords, 'among' | 'page'>;
  readonly rows: StatementRowsOfStore;
}

/** The visible statements of names, by `jcs_cid`. */
export async function statementsOf(
  rows: StatementRowsOfStore,
  records: readonly Pick<NameRecord, 'id'>[],
  scope: StatementScope,
): Promise<ReadonlyMap<string, WholeStatement>> {
  const cids = records.flatMap(({ id }) => cidIn(id) ?? []);
  const found = new Map<string, WholeStatement>();
  if (cids.length === 0) return found;
  for (const part of rowsIn(rows, scope))
    for (const row of await part.whole(cids))
      if (row && isInScope(row, scope)) found.set(row.jcsCid.text, row);
  return found;
}

const passedAtOnce = 1_000;
/** The most names that one answer looks at. */
const mostLooked = 5_000;
/** The most names in a row that the reader may not see. */
const mostHidden = 50_000;
const bytesAnswered = 8 << 20;

/**
 * A cursor can be read by whoever has it, so it holds no name that the reader may not see: only the place after one that
 * they may see (null: the start), and how many hidden names follow it.
 */
type CursorMark = readonly [after: string | null, hidden: number];

/** See `NameIndex`. */
async function searchNames(
  { names, rows }: NameReading,
  { start, filter }: { readonly start: string; readonly filter: StatementFilter },
  { after, limit }: Page,
  scope: StatementScope,
): Promise<StatementPage> {
  if (filter.kind !== null && filter.kind !== namingKind) return { statements: [] };
  const from = foldedName(start);
  const question = ['names', from, filter, scope.graphId];
  const range = { from, until: `${from}\u{10ffff}` };
  const read: Read = (position, most) => names.page('byName', [], { after: position, limit: most, range });
  const place = after === null ? ([null, 0] as const) : placeIn(readCursor(after, question));
  let [seenUntil, hidden] = place;
  let lastSeen: { readonly position: string | null; readonly count: number } | undefined;
  const found: WholeStatement[] = [];

  async function answer({ hasMore }: { readonly hasMore: boolean }): Promise<StatementPage> {
    const statements = found.map((row) => storedStatement(row, scope));
    if (!hasMore) return { statements };
    if (hidden > mostHidden) throwTooShort();
    if (lastSeen) seenUntil = (await read(lastSeen.position, lastSeen.count)).next ?? null;
    return { statements, next: writeCursor([seenUntil, hidden], question) };
  }

  let position = await passOver(read, place);
  for (let [looked, bytes] = [0, 0]; position !== undefined && looked < mostLooked; ) {
    const { records, next } = await read(position, recordsAtOnce);
    const statements = await statementsOf(rows, records, scope);
    for (const [at, { id }] of records.entries()) {
      const row = statements.get(id);
      hidden = row ? 0 : hidden + 1;
      if (!row) continue;
      lastSeen = { position, count: at + 1 };
      if (!fits(row, filter)) continue;
      found.push(row);
      bytes += row.jcs.length;
      if (found.length >= limit || bytes >= bytesAnswered)
        return await answer({ hasMore: at + 1 < records.length || next !== undefined });
    }
    looked += records.length;
    position = next;
    await yieldToEventLoop();
  }
  return await answer({ hasMore: position !== undefined });
}

type Read = (position: string | null, most: number) => ReturnType<NameReading['names']['page']>;

/** @returns the position after a place; undefined at the end. */
async function passOver(read: Read, [after, hidden]: CursorMark): Promise<string | null | undefined> {
  let position: string | null | undefined = after;
  for (let left = hidden; left > 0 && position !== undefined; ) {
    const { records, next } = await read(position, Math.min(left, passedAtOnce));
    left -= records.length;
    position = next;
    await yieldToEventLoop();
  }
  return position;
}

function placeIn(position: unknown): CursorMark {
  const [after, hidden] = Array.isArray(position) ? position : [];
  const isPlace = (after === null || typeof after === 'string') && hidden >= 0 && hidden <= mostHidden;
  return isPlace ? [after, hidden] : throwBadCursor();
}

function throwTooShort(): never {
  const message = `More than ${mostHidden} names that you may not see begin so. Write more of the name.`;
  throw new ServiceError('invalid_request', message);
}
