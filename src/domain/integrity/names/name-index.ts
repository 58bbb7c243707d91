import { readCursor, writeCursor } from '../../cursors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { cidIn } from '../identifiers/cid.ts';
import type { Page, StatementFilter, StatementPage, StatementScope } from '../ports.ts';
import type { StatementRowsOfStore, WholeStatement } from '../statements/rows.ts';
import { isInScope, rowsIn, storedStatement } from '../statements/scopes.ts';
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

export interface NameReading {
  readonly names: Pick<NameRecords, 'among' | 'page'>;
  readonly rows: StatementRowsOfStore;
}

export function nameIndex(ports: NameReading): NameIndex {
  return {
    of: (ids, scope) => namesOf(ports, ids, scope),
    search: (start, filter, page, scope) => searchNames(ports, start, filter, page, scope),
  };
}

const recordsAtOnce = 100;
const idsAtOnce = 500;
/** The most names that are skipped for one answer, because the reader may not see their statements. */
const mostSkipped = 5_000;

async function namesOf(
  ports: NameReading,
  ids: readonly string[],
  scope: StatementScope,
): Promise<ReadonlyMap<string, string>> {
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
  }
  return found;
}

const mostRounds = 50;
const bytesAnswered = 8 << 20;

async function searchNames(
  { names, rows }: NameReading,
  start: string,
  filter: StatementFilter,
  { after, limit }: Page,
  scope: StatementScope,
): Promise<StatementPage> {
  if (filter.kind !== null && filter.kind !== namingKind) return { statements: [] };
  const from = foldedName(start);
  const question = ['names', from, filter, scope.graphId];
  const range = { from, until: `${from}\u{10ffff}` };
  const found: WholeStatement[] = [];
  let position = after === null ? null : String(readCursor(after, question));
  for (let round = 1, bytes = 0; ; round += 1) {
    const room = Math.min(limit - found.length, recordsAtOnce);
    const { records, next } = await names.page('byName', [], { after: position, limit: room, range });
    const statements = await statementsOf(rows, records, scope);
    for (const { id } of records) {
      const row = statements.get(id);
      if (!row || !fits(row, filter)) continue;
      found.push(row);
      bytes += row.jcs.length;
    }
    const isEnough = found.length >= limit || round >= mostRounds || bytes >= bytesAnswered;
    if (next === undefined || isEnough) {
      const answer = { statements: found.map((row) => storedStatement(row, scope)) };
      return next === undefined ? answer : { ...answer, next: writeCursor(next, question) };
    }
    position = next;
    await yieldToEventLoop();
  }
}

/** The visible statements of names, by `jcs_cid`. */
async function statementsOf(
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
