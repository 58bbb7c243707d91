import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { LoggedRow, LoggedRows, UnloggedGroup, UnloggedStatements } from '../../../domain/log/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import type { Database } from '../database.ts';
import { namingDamage } from '../errors.ts';
import { digestTarget, hasJcs, type Partition } from '../index/entries.ts';
import { type LoggedRange, noGraph } from './unlogged-writes.ts';

const rangesAtOnce = 512;
const rowsAtOnce = 1_024;

interface Range extends LoggedRange {
  readonly isOlder: boolean;
}

export function embeddedUnlogged({ reader, writes }: Database): UnloggedStatements {
  const ranges = reader.prepare(
    `SELECT unlogged.id, graph, graph_id, is_trusted, first, last, is_older
     FROM unlogged LEFT JOIN graphs ON graphs.id = graph ORDER BY unlogged.id LIMIT ${rangesAtOnce}`,
  );
  const rowsIn = rangeReads(reader);

  return namingDamage('the rows that are in no log', {
    async next(limit) {
      const groups: UnloggedGroup[] = [];
      let left = limit;
      for (const found of ranges.all()) {
        if (left <= 0) break;
        const range = rangeOf(found);
        const rows: LoggedRow[] = [];
        let from = range.from;
        while (from <= range.to && left > 0) {
          const read = rowsIn(range, from, Math.min(left, rowsAtOnce));
          rows.push(...read.rows);
          left -= read.rows.length + 1;
          from = read.next;
          await yieldToEventLoop();
        }
        groups.push({
          graphId: range.graph === noGraph ? null : String(found.graph_id),
          rows,
          isOlder: range.isOlder,
          token: [range.id, range.graph, range.isTrusted, range.from, from - 1].join('.'),
        });
      }
      return groups;
    },

    async done(tokens) {
      const logged = tokens.map((token) => {
        const [id = 0, graph = 0, isTrusted = 0, from = 0, to = 0] = token.split('.').map(Number);
        return { id, graph, isTrusted, from, to };
      });
      if (logged.length > 0) await writes.run('markLogged', logged);
    },

    noteAll: () => writes.run('noteAllUnlogged', undefined),
  });
}

function rangeOf(row: Record<string, SQLOutputValue>): Range {
  return {
    id: Number(row.id),
    graph: Number(row.graph),
    isTrusted: Number(row.is_trusted),
    isOlder: row.is_older === 1,
    from: Number(row.first),
    to: Number(row.last),
  };
}

/** @returns the rows of a range, and where it goes on. */
function rangeReads(reader: DatabaseSync) {
  const select = (partition: Partition, from: string, where: string) =>
    reader.prepare(
      `SELECT seq, rdfc_digest, jcs_digest FROM ${from} JOIN ${partition}_rows USING (seq)
       WHERE seq BETWEEN ?1 AND ?2 ${where} ORDER BY seq LIMIT ?3`,
    );
  const reads = (partition: Partition) => ({
    all: reader.prepare(
      `SELECT seq, rdfc_digest, jcs_digest FROM ${partition}_rows WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq LIMIT ?3`,
    ),
    alone: reader.prepare(
      `SELECT seq, rdfc_digest, jcs_digest FROM ${partition}_rows AS row WHERE seq BETWEEN ?1 AND ?2
       AND NOT EXISTS (SELECT 1 FROM ${partition}_graphs AS its WHERE its.seq = row.seq) ORDER BY seq LIMIT ?3`,
    ),
    inGraph: select(partition, `${partition}_graphs`, 'AND graph = ?4'),
  });
  const [verified, unverified] = [reads('verified'), reads('unverified')];
  return ({ graph, isTrusted, isOlder, to }: Range, from: number, limit: number) => {
    const { all, alone, inGraph } = isTrusted === 1 ? verified : unverified;
    const outside = isOlder ? alone : all;
    const found = graph === noGraph ? outside.all(from, to, limit) : inGraph.all(from, to, limit, graph);
    const rows = found.map((row) => ({ ...digestsOf(row), isTrusted: isTrusted === 1 }));
    return { rows, next: rows.length < limit ? to + 1 : (rows.at(-1)?.position ?? to) + 1 };
  };
}

export function embeddedLoggedRows({ reader }: Pick<Database, 'reader'>): LoggedRows {
  const bySeq = reader.prepare(
    `SELECT seq, rdfc_digest, jcs_digest
     FROM json_each(?) AS wanted CROSS JOIN verified_rows ON seq = wanted.value`,
  );
  const byJcs = reader.prepare(`SELECT seq FROM verified_rows WHERE ${hasJcs('verified')}`);
  return namingDamage('the verified statements', {
    positionsOf: async (digests) =>
      digests.map((digest) => {
        const row = byJcs.get(digest, digestTarget(digest));
        return row && Number(row.seq);
      }),
    at: async (positions) => bySeq.all(JSON.stringify(positions)).map(digestsOf),
  });
}

function digestsOf(row: Record<string, SQLOutputValue>) {
  return {
    position: Number(row.seq),
    rdfcDigest: row.rdfc_digest as Uint8Array,
    jcsDigest: row.jcs_digest as Uint8Array,
  };
}
