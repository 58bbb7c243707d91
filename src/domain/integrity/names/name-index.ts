import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Page, StatementFilter, StatementPage, StatementScope } from '../ports.ts';
import { searchNames } from './name-search.ts';
import { type NameReading, statementsOf } from './visible-statements.ts';

export interface NameIndex {
  /**
   * The names of things, from the newest statement that the reader may see. Things without one are missing.
   * @param ids as in references.
   */
  of(ids: readonly string[], scope: StatementScope): Promise<ReadonlyMap<string, string>>;

  /** The MetadataRegistrations whose name starts with the text, by folded name, and the newest of a name first. */
  search(start: string, filter: StatementFilter, page: Page, scope: StatementScope): Promise<StatementPage>;
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
    await yieldToEventLoop();
  }
  return found;
}
