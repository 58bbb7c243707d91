import { auditExchanges } from '../../../domain/control-plane/gateway/runtime-records.ts';
import {
  bucketOf,
  bucketStart,
  type ExchangeSeries,
  intervals,
  type SeriesPiece,
} from '../../../domain/control-plane/projects/time-series.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';

/** Keeps the durations of a group within the size of a document, up to a million. */
const pieceMs = intervals.minute * 10;

/** The server counts. `$percentile` would only estimate, so it hands over the durations. */
export function mongoExchangeSeries(database: Database): ExchangeSeries {
  const stored = database.collection(auditExchanges.name);
  return {
    async series({ projectUrn, agentId }, { from, until, interval }) {
      const length = Math.min(intervals[interval], pieceMs);
      const pieces = await translated(() =>
        stored
          .aggregate<SeriesPiece & { readonly _id: number }>([
            { $match: { projectUrn, agentId, occurredAt: { $gte: from, $lt: until } } },
            {
              $group: {
                _id: { $multiply: [{ $floor: { $divide: ['$occurredAt', length] } }, length] },
                count: { $sum: 1 },
                errors: countOf('error'),
                denied: countOf('denied'),
                durations: { $push: '$durationMs' },
              },
            },
          ])
          .toArray(),
      );
      const buckets = Map.groupBy(pieces, ({ _id }) => bucketStart(_id, interval));
      return await Array.fromAsync(
        [...buckets].toSorted(([one], [other]) => one - other),
        async ([start, own]) => {
          await yieldToEventLoop();
          return bucketOf(start, own);
        },
      );
    },
  };
}

function countOf(outcome: string) {
  return { $sum: { $cond: [{ $eq: ['$outcome', outcome] }, 1, 0] } };
}
