import { auditExchanges } from '../../../domain/control-plane/gateway/audit-exchanges.ts';
import {
  type ExchangeSeries,
  intervals,
  type SeriesBucket,
} from '../../../domain/control-plane/projects/time-series.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';

/**
 * Counts exchanges by bucket and duration, and from these numbers finds the durations at the ranks. So the memory of the
 * server depends on how many different durations there are. `$percentile` would only estimate.
 */
export function mongoExchangeSeries(database: Database): ExchangeSeries {
  const stored = database.collection(auditExchanges.name);
  return {
    async series({ projectUrn, agentId }, { from, until, interval }) {
      const rows = await translated(() =>
        stored
          .aggregate<Row>([
            { $match: { projectUrn, agentId, occurredAt: { $gte: from, $lt: until } } },
            {
              $group: {
                _id: { start: startOf('$occurredAt', intervals[interval]), duration: '$durationMs' },
                count: { $sum: 1 },
                errors: countOf('error'),
                denied: countOf('denied'),
              },
            },
            { $set: { timed: { $cond: [{ $eq: ['$_id.duration', null] }, 0, '$count'] } } },
            {
              $setWindowFields: {
                partitionBy: '$_id.start',
                sortBy: { '_id.duration': 1 },
                output: {
                  rank: { $sum: '$timed', window: { documents: ['unbounded', 'current'] } },
                  all: { $sum: '$timed', window: { documents: ['unbounded', 'unbounded'] } },
                },
              },
            },
            {
              $group: {
                _id: '$_id.start',
                count: { $sum: '$count' },
                errors: { $sum: '$errors' },
                denied: { $sum: '$denied' },
                p50: durationAt(50),
                p99: durationAt(99),
              },
            },
            { $sort: { _id: 1 } },
          ])
          .toArray(),
      );
      return rows.map(({ _id: start, ...rest }) => ({ start, ...rest }));
    },
  };
}

type Row = Omit<SeriesBucket, 'start'> & { readonly _id: number };

function startOf(time: string, length: number) {
  return { $multiply: [{ $floor: { $divide: [time, length] } }, length] };
}

function countOf(outcome: string) {
  return { $sum: { $cond: [{ $eq: ['$outcome', outcome] }, 1, 0] } };
}

/** The least duration that reaches the nearest rank. Ranks are compared in whole numbers. */
function durationAt(percent: number) {
  const isReached = { $gte: [{ $multiply: ['$rank', 100] }, { $multiply: ['$all', percent] }] };
  const isTimed = { $gt: ['$timed', 0] };
  return { $min: { $cond: [{ $and: [isTimed, isReached] }, '$_id.duration', null] } };
}
