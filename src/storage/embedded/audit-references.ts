import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { mendable } from '../../domain/integrity/audit-faults.ts';
import type { StoreFault } from '../../domain/integrity/audit-ports.ts';
import { codecs, makeCid } from '../../domain/integrity/cid.ts';
import { type Found, settled } from './audit-mending.ts';
import { isListOfPairs } from './audit-statements.ts';
import { entryAudit, type IndexEntry } from './entry-audit.ts';
import type { Row } from './statement-rows.ts';

type IndexAudit = ReturnType<typeof entryAudit>;

const columns = 'seq, jcs_digest, rdfc_digest, trusted, kind, refs';
const pageRows = 1_000;
const rowsKept = 10_000;

/**
 * The index of statements against the rows. When it has all entries of all rows, and no more than those, it has no
 * others: only where their numbers differ are its entries looked at one by one.
 */
export function* auditReferences(
  reader: DatabaseSync,
  writer: DatabaseSync,
  repair: boolean,
  onRows: (done: number) => void,
): Generator<StoreFault> {
  const index = entryAudit(reader, writer);
  const page = reader.prepare(
    `SELECT ${columns} FROM statements WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`,
  );
  let present = 0;
  let last = 0;
  for (let rows = page.all(last); rows.length > 0; rows = page.all(last)) {
    const found: Found[] = [];
    for (const row of rows) {
      const entries = entriesOf(index, row);
      const missing = entries.filter((entry) => !index.has(entry));
      present += entries.length - (repair ? 0 : missing.length);
      if (missing.length > 0) found.push(lack(row, missing.length, index));
    }
    last = Number(rows.at(-1)?.seq);
    yield* settled(writer, found, repair);
    onRows(last);
  }
  if (index.count() !== present) yield* strangers(reader, writer, index, repair);
}

function entriesOf(index: IndexAudit, row: Row): IndexEntry[] {
  return index.entriesOf(isListOfPairs(String(row.refs)) ? row : { ...row, refs: '[]' });
}

function lack(row: Row, missing: number, index: IndexAudit): Found {
  const id = makeCid(codecs.jcs, row.jcs_digest as Uint8Array).text;
  const problem = `${missing} of the entries under which it is found are not in the index`;
  return {
    fault: (isMended) => mendable('index', id, problem, isMended),
    mend: () => index.restore(row),
  };
}

/** Entries that no row has. */
function* strangers(
  reader: DatabaseSync,
  writer: DatabaseSync,
  index: IndexAudit,
  repair: boolean,
): Generator<StoreFault> {
  const bySeq = reader.prepare(`SELECT ${columns} FROM statements WHERE seq = ?`);
  const known = new LRUCache<number, ReadonlySet<string>>({
    max: rowsKept,
    memoMethod: (seq) => {
      const row = bySeq.get(seq);
      return new Set(row ? entriesOf(index, row).map(({ name }) => name) : []);
    },
  });
  for (const entries of index.pages()) {
    const strange = entries.filter(({ seq, name }) => !known.memo(seq).has(name));
    const found = strange.map((entry): Found => {
      const problem = `The index has an entry that statement number ${entry.seq} does not have`;
      return {
        fault: (isMended) => mendable('index', index.titleOf(entry), problem, isMended),
        mend: () => index.remove(entry),
      };
    });
    yield* settled(writer, found, repair);
  }
}
