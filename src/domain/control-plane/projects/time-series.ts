import { ServiceError } from '../../errors.ts';
import { earliestTime } from '../../integrity/identifiers/timestamp.ts';
import type { RuntimeScope } from './runtime-reads.ts';

/** The lengths of buckets in milliseconds. Buckets start at whole multiples of them since 1970, in UTC. */
export const intervals = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type Interval = keyof typeof intervals;

const mostBuckets = 2_000;
const defaultSpan = intervals.day;

export interface SeriesQuery {
  /** Milliseconds since 1970: from `from`, before `until`. */
  readonly from: number;
  readonly until: number;
  readonly interval: Interval;
}

/** The exchanges of one interval. */
export interface SeriesBucket {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly count: number;
  readonly errors: number;
  readonly denied: number;
  /**
   * Percentiles of the durations by nearest rank: of n durations in ascending order, the one at position ⌈p · n / 100⌉.
   * Null if no exchange of the bucket has a duration.
   */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** The exchanges of an interval, or of a part of one. */
export interface SeriesPiece extends Pick<SeriesBucket, 'count' | 'errors' | 'denied'> {
  readonly durations: readonly (number | null)[];
}

/** What each store counts in its own way. */
export interface ExchangeSeries {
  /** The buckets with exchanges in [from, until), in order. The first and the last may be covered in part only. */
  series(scope: RuntimeScope, query: SeriesQuery): Promise<SeriesBucket[]>;
}

/** @param pieces all of the bucket's exchanges. */
export function bucketOf(start: number, pieces: readonly SeriesPiece[]): SeriesBucket {
  const sum = (name: 'count' | 'errors' | 'denied') =>
    pieces.reduce((total, piece) => total + piece[name], 0);
  const known = pieces.flatMap(({ durations }) => durations.filter((duration) => duration !== null));
  const durations = Float64Array.from(known).sort();
  const percentile = (percent: number) => durations[nearestRank(percent, durations.length) - 1] ?? null;
  return {
    start,
    count: sum('count'),
    errors: sum('errors'),
    denied: sum('denied'),
    p50: percentile(50),
    p99: percentile(99),
  };
}

/** The position of a percentile among n ascending values, counted from 1. */
export function nearestRank(percent: number, count: number): number {
  return Math.ceil((percent * count) / 100);
}

export function bucketStart(time: number, interval: Interval): number {
  const length = intervals[interval];
  return Math.floor(time / length) * length;
}

/**
 * The range that a caller asks about. Default: the last day.
 * @throws ServiceError `invalid_request` if it is empty or has too many buckets.
 */
export function seriesQuery(
  asked: { readonly from: number | null; readonly until: number | null; readonly interval: Interval },
  now: number,
): SeriesQuery {
  const until = asked.until ?? now;
  const from = Math.max(asked.from ?? until - defaultSpan, earliestTime);
  if (from >= until)
    throw new ServiceError(
      'invalid_request',
      '"from" must be earlier than "to", and the year 0000 is the first. "to" is now if it is not given.',
    );
  const query = { from, until, interval: asked.interval };
  const count = bucketCount(query);
  if (count > mostBuckets) throwTooLong(query, count);
  return query;
}

function bucketCount({ from, until, interval }: SeriesQuery): number {
  return Math.ceil((until - bucketStart(from, interval)) / intervals[interval]);
}

function throwTooLong(query: SeriesQuery, count: number): never {
  const fitting = (Object.keys(intervals) as Interval[]).find(
    (interval) => bucketCount({ ...query, interval }) <= mostBuckets,
  );
  const advice =
    fitting === undefined ? `Ask for at most ${mostBuckets} days at once.` : `Ask with interval=${fitting}.`;
  throw new ServiceError(
    'invalid_request',
    `This range has ${count} buckets with interval=${query.interval}, and the limit is ${mostBuckets}. ${advice}`,
  );
}

/** The buckets of the whole range. Those without exchanges count zero. */
export async function timeSeries(
  exchanges: ExchangeSeries,
  scope: RuntimeScope,
  query: SeriesQuery,
): Promise<SeriesBucket[]> {
  const found = new Map((await exchanges.series(scope, query)).map((bucket) => [bucket.start, bucket]));
  const first = bucketStart(query.from, query.interval);
  return Array.from({ length: bucketCount(query) }, (_, at) => {
    const start = first + at * intervals[query.interval];
    return found.get(start) ?? { start, count: 0, errors: 0, denied: 0, p50: null, p99: null };
  });
}
