import type { DatabaseSync } from 'node:sqlite';
import { digestTarget, entryColumns, jcsRole, noKind, rdfcRole, referenceTarget } from './entries.ts';
import { entryWrites } from './entry-writes.ts';
import { levelWrites, usualLevelSizes } from './levels.ts';
import { nameReads } from './names.ts';
import type { Row } from './statement-rows.ts';

const pageEntries = 2_048;
/** No name has it: an entry with it is in no index. */
const noName = -1;

type Columns = readonly [target: number, trusted: number, role: number, kind: number, seq: number];

/** An entry under which a statement is found. */
export interface IndexEntry {
  readonly columns: Columns;
  readonly seq: number;
  /** Equal for equal entries alone. */
  readonly name: string;
}

/** The one place that knows for an audit how the index of statements is laid out. */
export function entryAudit(reader: DatabaseSync, writer: DatabaseSync) {
  const names = nameReads(reader);
  const writes = entryWrites(writer, usualLevelSizes);
  const levels = levelWrites(writer, { name: 'entries', columns: entryColumns, sizes: usualLevelSizes });
  const all = entryColumns.join(', ');
  const isEntry = entryColumns.map((column) => `${column} = ?`).join(' AND ');
  const count = reader.prepare('SELECT count(*) AS entries FROM entries');
  const one = reader.prepare(`SELECT 1 FROM entries WHERE ${isEntry}`);
  const page = reader.prepare(
    `SELECT ${all} FROM entries WHERE (${all}) > (?, ?, ?, ?, ?) ORDER BY ${all} LIMIT ${pageEntries}`,
  );

  return {
    /** The entries that a row should have, each once. Its references have to be readable. */
    entriesOf(row: Row): IndexEntry[] {
      const [seq, trusted] = [Number(row.seq), Number(row.trusted)];
      const kind = names.numberOf(String(row.kind)) ?? noName;
      const references = JSON.parse(String(row.refs)) as [string, string][];
      const entries: Columns[] = [
        [digestTarget(row.jcs_digest as Uint8Array), 1, jcsRole, noKind, seq],
        [digestTarget(row.rdfc_digest as Uint8Array), trusted, rdfcRole, noKind, seq],
        ...references.map(
          ([role, identifier]): Columns => [
            referenceTarget(identifier),
            trusted,
            names.numberOf(role) ?? noName,
            kind,
            seq,
          ],
        ),
      ];
      return [...new Map(entries.map((columns) => [String(columns), indexEntry(columns)])).values()];
    },

    has: ({ columns }: IndexEntry): boolean => one.get(...columns) !== undefined,
    count: (): number => Number(count.get()?.entries),

    /** Writes the entries of a row anew. */
    restore(row: Row): void {
      const seq = Number(row.seq);
      const trusted = row.trusted === 1 ? 1 : 0;
      const [jcsDigest, rdfcDigest] = [row.jcs_digest as Uint8Array, row.rdfc_digest as Uint8Array];
      const said = { rdfcDigest, kind: String(row.kind), references: String(row.refs) };
      writes.begin();
      writes.removeJcs(jcsDigest, seq);
      writes.remove(said, trusted, seq);
      writes.addJcs(jcsDigest, seq);
      writes.add(said, trusted, seq);
      writes.settle();
    },

    /** What it says, for who reads of it. */
    titleOf({ columns: [, , role, kind] }: IndexEntry): string {
      if (role === jcsRole) return 'jcs_cid';
      return role === rdfcRole ? 'rdfc_cid' : `${names.nameOf(role)} of ${names.nameOf(kind)}`;
    },

    remove: ({ columns }: IndexEntry): void => levels.remove(...columns),

    /** All entries, in the order of the index. */
    *pages(): Generator<IndexEntry[]> {
      let last: Columns = [-1, 0, 0, 0, 0];
      for (let rows = page.all(...last); rows.length > 0; rows = page.all(...last)) {
        const entries = rows.map((row) =>
          indexEntry(entryColumns.map((column) => Number(row[column])) as unknown as Columns),
        );
        last = entries.at(-1)?.columns ?? last;
        yield entries;
      }
    },
  };
}

function indexEntry(columns: Columns): IndexEntry {
  return { columns, seq: columns[4], name: String(columns) };
}
