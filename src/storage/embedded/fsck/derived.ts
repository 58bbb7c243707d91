import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { CheckedStore, DerivedProblem } from '../../../domain/maintenance/contents.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import {
  entriesOf,
  entryKeys,
  type IndexedRow,
  idStartBytes,
  orderOf,
  type Partition,
} from '../index/entries.ts';
import { levelTables } from '../index/levels.ts';

/** A table that follows from the rows. */
interface Derived {
  readonly partition: Partition;
  readonly name: string;
  readonly columns: readonly string[];
  /** Where its content lies; a rebuild puts everything into the last one. */
  readonly tables: readonly string[];
  /** Selects what it should have, each once, by `seq`. */
  readonly select: string;
}

const sorts: readonly Partition[] = ['verified', 'unverified'];
/** Statements looked at before other work has its turn. */
const chunk = 1_000;

const derivedTables = sorts.flatMap((partition): Derived[] => {
  const [entries, order] = [entriesOf(partition), orderOf(partition)];
  return [
    {
      ...entries,
      partition,
      tables: levelTables(entries),
      select: `SELECT DISTINCT value ->> 0 AS target, value ->> 1 AS place, seq
        FROM ${partition}_rows, json_each(entry_keys(jcs_digest, rdfc_digest, jcs, refs))`,
    },
    {
      ...order,
      partition,
      tables: levelTables(order),
      select: `SELECT graph, substr(rdfc_digest, 1, ${idStartBytes}) AS id_start, seq
        FROM ${partition}_graphs JOIN ${partition}_rows USING (seq)`,
    },
    {
      partition,
      name: `${partition}_projects`,
      columns: ['project', 'seq'],
      tables: [`${partition}_projects`],
      select: `SELECT DISTINCT projects.id AS project, seq
        FROM ${partition}_graphs JOIN graphs ON graphs.id = graph JOIN projects USING (project_id)`,
    },
  ];
});

const orphans = (
  partition: Partition,
) => `FROM ${partition}_graphs WHERE seq NOT IN (SELECT seq FROM ${partition}_rows)
  OR graph NOT IN (SELECT id FROM graphs UNION ALL SELECT id FROM graph_imports)`;
const counted = `(${sorts.map((partition) => `(SELECT count(*) FROM ${partition}_graphs WHERE graph = id)`).join(' + ')})`;

/** What follows from the rows of a store that nobody else has open. */
export function derivedData(writer: DatabaseSync): CheckedStore['derived'] {
  writer.function('entry_keys', { deterministic: true }, (jcsDigest, rdfcDigest, jcs, refs) =>
    JSON.stringify(keysOf({ jcsDigest, rdfcDigest, jcs } as RowIds, String(refs))),
  );
  const numberOf = (sql: string) => Number(writer.prepare(`SELECT ${sql} AS number`).get()?.number);

  async function* compare({ partition, name, columns, select }: Derived): AsyncGenerator<DerivedProblem> {
    const isThere = columns.map((column) => `${name}.${column} = wanted.${column}`).join(' AND ');
    const look = writer.prepare(
      `SELECT count(*) AS wanted, total(EXISTS (SELECT 1 FROM ${name} WHERE ${isThere})) AS found
       FROM (${select} WHERE seq > ? AND seq <= ?) AS wanted`,
    );
    const lastOfChunk = writer.prepare(
      `SELECT seq FROM ${partition}_rows WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ${chunk - 1}`,
    );
    let [missing, found] = [0, 0];
    for (let [seq, end] = [-1, 0]; end < Number.MAX_SAFE_INTEGER; seq = end) {
      end = Number(lastOfChunk.get(seq)?.seq ?? Number.MAX_SAFE_INTEGER);
      const row = look.get(seq, end) ?? {};
      found += Number(row.found);
      missing += Number(row.wanted) - Number(row.found);
      await yieldToEventLoop();
    }
    const unknown = numberOf(`(SELECT count(*) FROM ${name})`) - found;
    if (missing > 0) yield { kind: 'index', id: name, problem: `${missing} entries are missing` };
    if (unknown > 0) yield { kind: 'index', id: name, problem: `${unknown} entries do not belong there` };
  }

  async function* check(): AsyncGenerator<DerivedProblem> {
    const unknown = numberOf(
      '(SELECT count(*) FROM graphs WHERE project_id NOT IN (SELECT project_id FROM projects))',
    );
    if (unknown > 0)
      yield { kind: 'index', id: 'projects', problem: `The projects of ${unknown} graphs are missing` };
    for (const partition of sorts) {
      const number = numberOf(`(SELECT count(*) ${orphans(partition)})`);
      const problem = `${number} memberships are of statements or graphs that do not exist`;
      if (number > 0) yield { kind: 'membership', id: `${partition}_graphs`, problem };
    }
    for (const { jcsDigest, places } of duplicates(writer)) {
      const numbers = places.map(([partition, seq]) => `${seq} (${partition})`).join(', ');
      const problem = `It is stored more than once, under the numbers ${numbers}`;
      yield { kind: 'duplicate', id: makeCid(codecs.jcs, jcsDigest).text, problem };
    }
    for (const derived of derivedTables) yield* compare(derived);
    for (const { graph_id, statements, counted: right } of writer
      .prepare(`SELECT graph_id, statements, ${counted} AS counted FROM graphs WHERE statements <> counted`)
      .iterate()) {
      const problem = `It is said to have ${statements} statements, and has ${right}`;
      yield { kind: 'count', id: String(graph_id), problem };
    }
  }

  return {
    check,

    async rebuild() {
      writer.exec('BEGIN IMMEDIATE');
      try {
        writer.exec('INSERT OR IGNORE INTO projects (project_id) SELECT project_id FROM graphs ORDER BY id');
        mergeDuplicates(writer);
        for (const partition of sorts) writer.exec(`DELETE ${orphans(partition)}`);
        for (const { columns, tables, select } of derivedTables) {
          for (const table of tables) writer.exec(`DELETE FROM ${table}`);
          const key = columns.join(', ');
          writer.exec(`INSERT INTO ${tables.at(-1)} (${key}) SELECT ${key} FROM (${select}) ORDER BY ${key}`);
        }
        for (const table of ['graphs', 'graph_imports'])
          writer.exec(`UPDATE ${table} SET statements = ${counted} WHERE statements <> ${counted}`);
        writer.exec('COMMIT');
      } catch (error) {
        if (writer.isTransaction) writer.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

type RowIds = Omit<IndexedRow, 'references'>;

/** Damaged references are reported with their statement. */
function keysOf(row: RowIds, refs: string): [target: number, place: number][] {
  try {
    return entryKeys({ ...row, references: JSON.parse(refs) });
  } catch {
    return entryKeys({ ...row, references: [] });
  }
}

type RowKey = readonly [partition: Partition, seq: number];

/**
 * Rows that hold the same bytes. The thread that writes asks the entries whether a row is there, so a damaged entry
 * makes a duplicate. Verified rows come first, then the oldest. SQLite sorts all digests, on disk if they are many.
 */
function* duplicates(database: DatabaseSync) {
  const repeated = database.prepare(
    `SELECT jcs_digest, json_group_array(json_array(partition, seq) ORDER BY partition DESC, seq) AS places FROM (
       SELECT jcs_digest, 'verified' AS partition, seq FROM verified_rows
       UNION ALL SELECT jcs_digest, 'unverified', seq FROM unverified_rows
     ) GROUP BY jcs_digest HAVING count(*) > 1`,
  );
  for (const { jcs_digest, places } of repeated.all()) {
    const duplicate = { jcsDigest: jcs_digest as Uint8Array, places: JSON.parse(String(places)) as RowKey[] };
    // Rows with other bytes are damaged themselves.
    const bytes = duplicate.places.map(([partition, seq]) => {
      const row = database.prepare(`SELECT jcs FROM ${partition}_rows WHERE seq = ?`).get(seq);
      return Buffer.from(row?.jcs as Uint8Array);
    });
    if (bytes.every((each) => bytes[0]?.equals(each))) yield duplicate;
  }
}

/** Keeps the first of rows with the same bytes, in the graphs of all. What leads to the others is left behind. */
function mergeDuplicates(database: DatabaseSync): void {
  for (const { places } of [...duplicates(database)]) {
    const [kept] = places;
    for (const place of places.slice(1)) if (kept) merge(database, kept, place);
  }
}

function merge(database: DatabaseSync, [kept, into]: RowKey, [partition, seq]: RowKey): void {
  const end = `(SELECT coalesce(max(position) + 1, 0) FROM ${kept}_graphs WHERE seq = ?1)`;
  const join = database.prepare(
    `INSERT OR IGNORE INTO ${kept}_graphs (seq, position, graph)
     SELECT ?1, position + ${end}, graph FROM ${partition}_graphs WHERE seq = ?2`,
  );
  join.run(into, seq);
  database.prepare(`DELETE FROM ${partition}_rows WHERE seq = ?`).run(seq);
}
