import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readTimeCursor, type TimePlace, writeTimeCursor } from '../time-cursors.ts';
import type { Row } from './statements/statement-rows.ts';

/** Rows that are looked at for a page. */
const rowsLooked = 1_000;

interface Table {
  readonly name: string;
  /** The column with the time, in milliseconds since 1970. */
  readonly time: string;
  readonly order: 'oldest first' | 'newest first';
  /** Columns with an index that goes on by time and id; of several that are asked about, the first one leads. */
  readonly leading: readonly string[];
}

export interface TimedQuestion {
  /** What columns have to be; null stands for whatever it is. */
  readonly wanted: Readonly<Record<string, string | number | null>>;
  /** Milliseconds since 1970; `from` includes its moment, `until` does not. */
  readonly from: number | null;
  readonly until: number | null;
}

interface Page {
  readonly rows: readonly Row[];
  readonly next?: string;
}

/** Pages of a table by time. A page ends early where much has to be passed over. */
export class TimedRows {
  readonly #reader: DatabaseSync;
  readonly #table: Table;
  readonly #prepared = new Map<string | undefined, StatementSync>();

  constructor(reader: DatabaseSync, table: Table) {
    this.#reader = reader;
    this.#table = table;
  }

  page(question: TimedQuestion, { after, limit }: { after: string | null; limit: number }): Page {
    const { wanted } = question;
    const asked = Object.entries(wanted).filter(([, value]) => value !== null);
    const leading = this.#table.leading.find((column) => asked.some(([name]) => name === column));
    const rows: Row[] = [];
    let looked = 0;
    let last = after === null ? this.#beginning(question) : readTimeCursor(after, question);
    const { from, until } = question;
    const values = {
      leading: leading === undefined ? null : (wanted[leading] ?? null),
      from: from ?? Number.MIN_SAFE_INTEGER,
      until: until ?? Number.MAX_SAFE_INTEGER,
      ...last,
    };
    for (const row of this.#statement(leading).iterate(values)) {
      if (rows.length === limit || looked === rowsLooked)
        return { rows, next: writeTimeCursor(last, question) };
      looked += 1;
      if (asked.every(([column, value]) => row[column] === value)) rows.push(row);
      last = { at: Number(row[this.#table.time]), id: String(row.id) };
    }
    return { rows };
  }

  /** Where the first page goes on. Ids are greater than the empty one. */
  #beginning({ from, until }: TimedQuestion): TimePlace {
    const isNewestFirst = this.#table.order === 'newest first';
    const at = isNewestFirst ? (until ?? Number.MAX_SAFE_INTEGER) : (from ?? Number.MIN_SAFE_INTEGER);
    return { at, id: '' };
  }

  #statement(leading: string | undefined): StatementSync {
    const known = this.#prepared.get(leading);
    if (known) return known;
    const { name, time, order } = this.#table;
    const [sign, direction] = order === 'newest first' ? ['<', 'DESC'] : ['>', 'ASC'];
    const statement = this.#reader.prepare(
      `SELECT * FROM ${name} WHERE ${leading ?? 'coalesce(:leading, 1)'} = coalesce(:leading, 1)
       AND (${time}, id) ${sign} (:at, :id) AND ${time} >= :from AND ${time} < :until
       ORDER BY ${time} ${direction}, id ${direction} LIMIT ${rowsLooked + 1}`,
    );
    this.#prepared.set(leading, statement);
    return statement;
  }
}
