import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import {
  type AuditExchange,
  auditExchanges,
} from '../../src/domain/control-plane/gateway/runtime-records.ts';
import type { RuntimeScope } from '../../src/domain/control-plane/projects/runtime-reads.ts';
import {
  bucketStart,
  type ExchangeSeries,
  type Interval,
  type SeriesBucket,
} from '../../src/domain/control-plane/projects/time-series.ts';
import { exchange, urnOf } from '../builders/runtime-records.ts';
import { runs } from '../property-runs.ts';

type SeriesStore = RecordStore & AsyncDisposable & { readonly exchangeSeries: ExchangeSeries };

/** The time series of every store. */
export function exchangeSeriesContract(open: () => Promise<SeriesStore>): void {
  describe('time series of exchanges', () => {
    let store: SeriesStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const noon = Date.UTC(2026, 0, 31, 12);
    const newScope = () => ({ projectUrn: urnOf(randomUUID()), agentId: randomUUID() });

    async function insert(scope: RuntimeScope, members: readonly Partial<AuditExchange>[]): Promise<void> {
      await store.of(auditExchanges).insert(members.map((more) => exchange({ ...scope, ...more })));
    }

    async function series(
      scope: RuntimeScope,
      interval: Interval = 'minute',
      from = noon,
      until = noon + 3e8,
    ) {
      return await store.exchangeSeries.series(scope, { from, until, interval });
    }

    async function percentiles(durations: readonly (number | null)[]) {
      const scope = newScope();
      await insert(
        scope,
        durations.map((durationMs) => ({ occurredAt: noon, durationMs })),
      );
      const [bucket] = await series(scope);
      return [bucket?.count, bucket?.p50, bucket?.p99];
    }

    test('counts outcomes per bucket, without the end of the range', async () => {
      const scope = newScope();
      await insert(scope, [
        { occurredAt: noon - 1 },
        { occurredAt: noon, durationMs: 5 },
        { occurredAt: noon + 59_999, outcome: 'error', durationMs: 7 },
        { occurredAt: noon + 60_000, outcome: 'denied', durationMs: null },
        { occurredAt: noon + 180_000, outcome: 'error', durationMs: 1.5 },
      ]);
      expect(await series(scope, 'minute', noon, noon + 180_000)).toEqual([
        { start: noon, count: 2, errors: 1, denied: 0, p50: 5, p99: 7 },
        { start: noon + 60_000, count: 1, errors: 0, denied: 1, p50: null, p99: null },
      ]);
      const midnight = Date.UTC(2026, 0, 31);
      expect(await series(scope, 'day', midnight)).toEqual([
        { start: midnight, count: 5, errors: 2, denied: 1, p50: 5, p99: 12 },
      ]);
    });

    test('takes percentiles by nearest rank', async () => {
      const oneTo = (count: number) => Array.from({ length: count }, (_, index) => count - index);
      expect(await percentiles([3])).toEqual([1, 3, 3]);
      expect(await percentiles([9, 3])).toEqual([2, 3, 9]);
      expect(await percentiles([1, null, 2, null, 3, null])).toEqual([6, 2, 3]);
      expect(await percentiles(oneTo(100))).toEqual([100, 50, 99]);
      expect(await percentiles(oneTo(101))).toEqual([101, 51, 100]);
      expect(await percentiles([0, 0, 0])).toEqual([3, 0, 0]);
      expect(await percentiles([0.1 + 0.2, 1 / 3])).toEqual([2, 0.1 + 0.2, 1 / 3]);
    });

    test('knows only the exchanges of the project and the agent', async () => {
      const scope = newScope();
      await insert(scope, [
        { projectUrn: null, candidateProjectUrn: scope.projectUrn },
        { projectUrn: urnOf(randomUUID()) },
        { agentId: 'another' },
      ]);
      expect(await series(scope)).toEqual([]);
    });

    test('has the numbers of a plain loop', async () => {
      const one = fc.record({
        occurredAt: fc.integer({ min: noon - 2e8, max: noon + 2e8 }),
        durationMs: fc.option(fc.oneof(fc.nat(5), fc.double({ min: 0, max: 1e6, noNaN: true }))),
        outcome: fc.constantFrom('ok', 'error', 'denied'),
      });
      const query = fc.record({
        interval: fc.constantFrom<Interval>('minute', 'hour', 'day'),
        from: fc.integer({ min: noon - 2e8, max: noon }),
        until: fc.integer({ min: noon + 1, max: noon + 2e8 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(one, { maxLength: 60 }),
          query,
          async (members, { interval, from, until }) => {
            const scope = newScope();
            await insert(scope, members as Partial<AuditExchange>[]);
            const counted = members.filter(({ occurredAt }) => occurredAt >= from && occurredAt < until);
            expect(await series(scope, interval, from, until)).toEqual(plainSeries(counted, interval));
          },
        ),
        { numRuns: runs(50) },
      );
    });
  });
}

function plainSeries(
  rows: readonly { occurredAt: number; durationMs: number | null; outcome: string }[],
  interval: Interval,
): SeriesBucket[] {
  const buckets = Map.groupBy(rows, ({ occurredAt }) => bucketStart(occurredAt, interval));
  return [...buckets]
    .toSorted(([one], [other]) => one - other)
    .map(([start, own]) => {
      const durations = own.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b);
      const at = (part: number) =>
        durations.find((_, index) => (index + 1) * 100 >= part * durations.length) ?? null;
      const of = (outcome: string) => own.filter((row) => row.outcome === outcome).length;
      return {
        start,
        count: own.length,
        errors: of('error'),
        denied: of('denied'),
        p50: at(50),
        p99: at(99),
      };
    });
}
