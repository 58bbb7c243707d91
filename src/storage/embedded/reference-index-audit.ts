import type { DatabaseSync } from 'node:sqlite';
import { entriesOf } from './reference-writes.ts';
import type { Row } from './statement-rows.ts';

const pageEntries = 2_048;

/** An entry of the reference index as its table has it: five columns, the last of which is `seq`. */
type Columns = readonly [target: Uint8Array, trusted: number, role: string, kind: string, seq: number];

export interface IndexEntry {
  readonly columns: Columns;
  readonly seq: number;
  /** Equal for equal entries alone. */
  readonly name: string;
}

/** The one place that knows for an audit how the reference index is laid out. */
export function referenceIndexAudit(reader: DatabaseSync, writer: DatabaseSync) {
  const entry = '(target, trusted, role, kind, seq)';
  const count = reader.prepare('SELECT count(*) AS entries FROM reference_index');
  const one = reader.prepare(`SELECT 1 FROM reference_index WHERE ${entry} = (?, ?, ?, ?, ?)`);
  const page = reader.prepare(
    `SELECT target, trusted, role, kind, seq FROM reference_index WHERE ${entry} > (?, ?, ?, ?, ?)
     ORDER BY target, trusted, role, kind, seq LIMIT ${pageEntries}`,
  );
  const insert = writer.prepare(`INSERT INTO reference_index ${entry} VALUES (?, ?, ?, ?, ?)`);
  const remove = writer.prepare(`DELETE FROM reference_index WHERE ${entry} = (?, ?, ?, ?, ?)`);

  return {
    /** The entries that a row should have, each once. Its references have to be readable. */
    entriesOf({ seq, trusted, kind, refs }: Row): IndexEntry[] {
      const said = { references: String(refs), kind: String(kind) };
      const entries = entriesOf(said, trusted as 0 | 1, Number(seq)).map(({ target, role }) =>
        indexEntry([target, Number(trusted), role, said.kind, Number(seq)]),
      );
      return [...new Map(entries.map((each) => [each.name, each])).values()];
    },

    has: ({ columns }: IndexEntry): boolean => one.get(...columns) !== undefined,
    count: (): number => Number(count.get()?.entries),
    add: ({ columns }: IndexEntry): void => void insert.run(...columns),
    remove: ({ columns }: IndexEntry): void => void remove.run(...columns),

    /** All entries, in the order of the index. */
    *pages(): Generator<IndexEntry[]> {
      let last: Columns = [new Uint8Array(), -1, '', '', 0];
      for (let rows = page.all(...last); rows.length > 0; rows = page.all(...last)) {
        const entries = rows.map(({ target, trusted, role, kind, seq }) =>
          indexEntry([target as Uint8Array, Number(trusted), String(role), String(kind), Number(seq)]),
        );
        last = entries.at(-1)?.columns ?? last;
        yield entries;
      }
    },
  };
}

function indexEntry(columns: Columns): IndexEntry {
  const [target, ...others] = columns;
  const name = JSON.stringify([Buffer.from(target).toString('base64'), ...others]);
  return { columns, seq: others[3], name };
}
