import type { DatabaseSync } from 'node:sqlite';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { idStartBytes, type Partition } from '../index/entries.ts';
import { markColumn } from './marks.ts';

const rowsAtOnce = 4_096;

interface UnlistedRows {
  marks(idStart: Uint8Array, seq: number, limit: number): string[];
}

/**
 * The rows of a snapshot that no registered graph contains, in the order of manifests. No index has this order, because
 * only exports of everything need it. So each snapshot that is asked makes it once, in a temporary table.
 */
export function rowsInNoGraph(reader: DatabaseSync, partition: Partition): () => Promise<UnlistedRows> {
  const table = `temp.${partition}_unlisted`;

  async function list(): Promise<UnlistedRows> {
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
      `SELECT ${markColumn} AS mark FROM ${table} WHERE (id_start, seq) > (?, ?) ORDER BY id_start, seq LIMIT ?`,
    );
    return { marks: (...from) => marks.all(...from).map(({ mark }) => String(mark)) };
  }

  let listed: Promise<UnlistedRows> | undefined;
  return () => {
    listed ??= list();
    return listed;
  };
}
