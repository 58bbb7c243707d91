import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { auditExchanges } from '../../../domain/control-plane/gateway/runtime-records.ts';
import type { RuntimeScope } from '../../../domain/control-plane/projects/runtime-reads.ts';
import {
  bucketOf,
  bucketStart,
  type ExchangeSeries,
  intervals,
  type SeriesBucket,
  type SeriesPiece,
  type SeriesQuery,
} from '../../../domain/control-plane/projects/time-series.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { member, quoted } from '../collections/tables.ts';

const table = quoted(auditExchanges.name);
const index = quoted(`${auditExchanges.name}_series`);
const columns = ['projectUrn', 'agentId', 'occurredAt', 'outcome', 'durationMs'].map(member);
const [project, agent, time, outcome, duration] = columns;

/** Holds everything that a series counts. SQLite would read the record of each row for an index of virtual columns. */
export function createSeriesIndex(database: DatabaseSync): void {
  database.exec(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} (${columns})`);
}

/** Reading blocks the event loop, so longer buckets are read in pieces. */
const pieceMs = intervals.hour;

export function embeddedExchangeSeries(reader: DatabaseSync): ExchangeSeries {
  const source = `FROM ${table} INDEXED BY ${index}
    WHERE ${project} = ? AND ${agent} = ? AND ${time} >= ? AND ${time} < ?`;
  const next = reader.prepare(`SELECT ${time} AS at ${source} ORDER BY ${time} LIMIT 1`);
  const counts = reader.prepare(
    `SELECT count(*) AS count, sum(${outcome} = 'error') AS errors, sum(${outcome} = 'denied') AS denied,
       json_group_array(${duration}) AS durations ${source}`,
  );
  return {
    async series({ projectUrn, agentId }: RuntimeScope, { from, until, interval }: SeriesQuery) {
      const buckets: SeriesBucket[] = [];
      let [open, pieces]: [number, SeriesPiece[]] = [Number.NaN, []];
      const close = () => {
        if (pieces.length > 0) buckets.push(bucketOf(open, pieces));
        pieces = [];
      };
      for (let at = from; at < until; ) {
        const found = next.get(projectUrn, agentId, at, until);
        if (!found) break;
        const first = Number(found.at);
        const start = bucketStart(first, interval);
        if (start !== open) close();
        open = start;
        const end = Math.min(start + intervals[interval], first + pieceMs, until);
        pieces.push(pieceOf(counts.get(projectUrn, agentId, first, end)));
        at = end;
        await yieldToEventLoop();
      }
      close();
      return buckets;
    },
  };
}

function pieceOf(row: Record<string, SQLOutputValue> = {}): SeriesPiece {
  const durations = JSON.parse(String(row.durations));
  return { count: Number(row.count), errors: Number(row.errors), denied: Number(row.denied), durations };
}
