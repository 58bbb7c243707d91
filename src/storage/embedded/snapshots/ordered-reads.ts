import type { DatabaseSync } from 'node:sqlite';
import { digestBytes } from '../../../domain/integrity/statements/packed-rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { boundLimit } from '../bound-limit.ts';
import { namingDamage } from '../errors.ts';
import { idStartBytes, type Partition } from '../index/entries.ts';
import { markColumn, type RowPage, readMark, verifiedNumbers } from './row-pages.ts';

/** Larger rows have pages of their own. */
const mostBytes = 1 << 16;

/** Cast, because JSON cannot hold the blobs of a damaged row. */
const rest = `CAST(kind AS INTEGER), CAST(context_set AS INTEGER), CAST(time AS INTEGER), CAST(refs AS TEXT)`;

/** The reads of `OrderedRows`, with results that can be sent between threads. */
export function orderedReads(reader: DatabaseSync, partition: Partition) {
  // SQLite merges recent and settled keys only if the columns of the order are selected.
  const marks = reader.prepare(
    `SELECT json_group_array(${markColumn}) AS marks FROM (
       SELECT id_start, seq FROM ${partition}_order WHERE graph = ? AND (id_start, seq) > (?, ?)
       ORDER BY id_start, seq ${boundLimit}
     )`,
  );
  const unlisted = rowsInNoGraph(reader, partition);
  const graphByName = reader.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const pageOf = reader.prepare(
    `SELECT CAST(group_concat(jcs_digest || rdfc_digest || jcs, '') AS BLOB) AS bytes,
       json_group_array(json_array(seq, length(jcs), ${rest})) AS rest
     FROM json_each(?) AS wanted CROSS JOIN ${partition}_rows AS rows ON rows.seq = wanted.value
     WHERE length(jcs_digest) = ${digestBytes} AND length(rdfc_digest) = ${digestBytes} AND length(jcs) <= ?`,
  );

  function page(seqs: readonly number[], most: number): RowPage {
    const { bytes, rest } = pageOf.get(JSON.stringify(seqs), most) ?? {};
    return { bytes: (bytes ?? new Uint8Array()) as Uint8Array, rest: String(rest) };
  }

  return namingDamage(`the ${partition} statements`, {
    async contents(graphId: string | null, after: string | null, limit: number): Promise<string[]> {
      const { start, seq } = after === null ? { start: '', seq: 0 } : readMark(after);
      const from = [Buffer.from(start, 'hex'), seq, limit] as const;
      if (graphId === null) return (await unlisted())(...from);
      const graph = graphByName.get(graphId)?.id ?? null;
      return JSON.parse(String(marks.get(graph, ...from)?.marks));
    },

    /** Leaves out rows whose digests have another length. */
    async pages(seqs: readonly number[]): Promise<RowPage[]> {
      const small = page(seqs, mostBytes);
      const found = verifiedNumbers(small, partition);
      const large = seqs.filter((seq) => !found.has(seq)).map((seq) => page([seq], Number.MAX_SAFE_INTEGER));
      for (const each of large) verifiedNumbers(each, partition);
      return [small, ...large];
    },
  });
}

const rowsAtOnce = 4_096;

type UnlistedMarks = (idStart: Uint8Array, seq: number, limit: number) => string[];

/**
 * The rows of a snapshot that no registered graph contains, in the order of manifests. No index has this order, because
 * only exports of everything need it. So each snapshot that is asked makes it once, in a temporary table.
 */
function rowsInNoGraph(reader: DatabaseSync, partition: Partition): () => Promise<UnlistedMarks> {
  const table = `temp.${partition}_unlisted`;

  async function list(): Promise<UnlistedMarks> {
    reader.exec(
      `CREATE TABLE ${table} (id_start BLOB, seq INTEGER, PRIMARY KEY (id_start, seq)) WITHOUT ROWID`,
    );
    const chunkEnd = reader.prepare(
      `SELECT max(seq) AS seq FROM (SELECT seq FROM ${partition}_rows WHERE seq > ? ORDER BY seq LIMIT ${rowsAtOnce})`,
    );
    const add = reader.prepare(
      `INSERT INTO ${table}
       SELECT substr(rdfc_digest, 1, ${idStartBytes}), seq FROM ${partition}_rows AS row
       WHERE seq > ? AND seq <= ? AND NOT EXISTS (
         SELECT 1 FROM ${partition}_graphs AS its JOIN graphs ON graphs.id = its.graph WHERE its.seq = row.seq
       )`,
    );
    let seq = 0;
    for (let end = chunkEnd.get(seq)?.seq; typeof end === 'number'; end = chunkEnd.get(seq)?.seq) {
      add.run(seq, end);
      seq = end;
      await yieldToEventLoop();
    }
    const marks = reader.prepare(
      `SELECT ${markColumn} AS mark FROM ${table} WHERE (id_start, seq) > (?, ?) ORDER BY id_start, seq ${boundLimit}`,
    );
    return (...from) => marks.all(...from).map(({ mark }) => String(mark));
  }

  let listed: Promise<UnlistedMarks> | undefined;
  return () => {
    listed ??= list();
    return listed;
  };
}
