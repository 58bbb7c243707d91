import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventTypes,
  isLineageEvent,
  type RunEvent,
  readEvent,
} from '../../../src/domain/integrity/evidence/openlineage/event.ts';
import { mergeStates, stateOf } from '../../../src/domain/integrity/evidence/openlineage/run-state.ts';
import { runs } from '../../property-runs.ts';
import { describeTestData, listTestData, readTestJson } from '../../test-data.ts';

const facet = { _producer: 'https://example.com', _schemaURL: 'https://example.com/facet.json' };
const base = {
  eventTime: '2026-03-01T10:00:00Z',
  producer: 'https://example.com/scheduler',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
};
const run = { runId: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' };
const job = { namespace: 'airflow', name: 'daily.load' };

describe('reading an event of OpenLineage', () => {
  const read = (members: object) => readEvent({ ...base, ...members });

  it('takes runs, jobs and datasets', () => {
    expect(read({ run, job, eventType: 'START' }).kind).toBe('run');
    expect(read({ schemaURL: 'https://openlineage.io/x#/$defs/JobEvent', job }).kind).toBe('job');
    const dataset = { namespace: 'db', name: 'orders' };
    expect(read({ schemaURL: 'https://openlineage.io/x#/$defs/DatasetEvent', dataset }).kind).toBe('dataset');
  });

  it.each([
    [{ job, eventType: 'START' }, '/run', 'run is missing.'],
    [{ job, eventType: 'START', run: {} }, '/run/runId', 'run.runId is missing.'],
    [{ job, run: { runId: '' } }, '/run/runId', 'run.runId'],
    [{ run, job: { name: 'x' } }, '/job/namespace', 'job.namespace is missing.'],
    [{ run, job, eventTime: 'yesterday' }, '/eventTime', 'eventTime must be a date and time of RFC 3339.'],
    [{ run, job, eventType: 'DONE' }, '/eventType', 'eventType must be START, RUNNING, COMPLETE'],
    [{ run, job, producer: undefined }, '/producer', 'producer is missing.'],
    [{ run, job, inputs: [{ namespace: 'db' }] }, '/inputs/0/name', 'inputs[0].name is missing.'],
    [{ run, job, inputs: {} }, '/inputs', 'inputs must be a list'],
    [{ run, job, inputs: Array(5_001).fill(job) }, '/inputs', 'inputs must have at most 5000 elements.'],
    [
      { run: { ...run, facets: { parent: 1 } }, job },
      '/run/facets/parent',
      'run.facets.parent must be an object.',
    ],
  ])('refuses %#', (members, place, message) => {
    expect(() => read(members)).toThrow(
      expect.objectContaining({ place, message: expect.stringContaining(message) }),
    );
  });

  it('takes a time without a zone as UTC', () => {
    const [zoned, plain] = ['2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123'].map(
      (eventTime) => stateOf(read({ run, job, eventTime }) as RunEvent, () => null).first,
    );
    expect(plain).toBe(zoned);
  });
});

describe('the state of a run', () => {
  const datasets = fc.array(
    fc.record({
      namespace: fc.constantFrom('db', 's3://bucket'),
      name: fc.constantFrom('a', 'b', 'c'),
      facets: fc.constantFrom(
        {},
        ...['1', '2'].map((datasetVersion) => ({ version: { ...facet, datasetVersion } })),
        ...['a', 'x'].map((name) => ({
          symlinks: { ...facet, identifiers: [{ namespace: 'db', name, type: 'TABLE' }] },
        })),
      ),
    }),
    { maxLength: 4 },
  );
  const events = fc.array(
    fc
      .record({
        eventType: fc.constantFrom(...eventTypes),
        minute: fc.integer({ min: 0, max: 5 }),
        inputs: datasets,
        outputs: datasets,
        message: fc.constantFrom('', 'disk full', 'no such table'),
      })
      .map(({ minute, message, ...members }) => {
        const facets = { errorMessage: { ...facet, message } };
        const event = { ...base, ...members, eventTime: `2026-03-01T10:0${minute}:00Z`, job };
        return readEvent({ ...event, run: { ...run, facets: message === '' ? {} : facets } }) as RunEvent;
      }),
    { minLength: 1, maxLength: 6 },
  );
  const documentOf = ({ facets }: { facets?: object | null | undefined }) => JSON.stringify(facets);

  it('is the same for any order, grouping and repetition of the same events', () => {
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.nat()), (some, numbers) => {
        const next = (limit: number) => (numbers.next().value ?? 0) % limit;
        const states = some.map((event) => stateOf(event, documentOf));
        const expected = states.reduce(mergeStates);
        const repeated = [...states, ...states.slice(next(states.length))].toSorted(() => next(3) - 1);
        while (repeated.length > 1) {
          const [one] = repeated.splice(next(repeated.length), 1);
          const at = next(repeated.length);
          if (one) repeated[at] = mergeStates(one, repeated[at] ?? one);
        }
        expect(JSON.stringify(repeated[0])).toBe(JSON.stringify(mergeStates(expected, expected)));
      }),
      { numRuns: runs(300) },
    );
  });
});

describeTestData('the events of the compatibility tests of OpenLineage', () => {
  const folder = ['interop', 'evidence', 'openlineage', 'compatibility-tests', 'consumer', 'scenarios'];
  const files = listTestData(...folder).flatMap((scenario) =>
    listTestData(...folder, scenario)
      .filter((name) => name === 'events')
      .flatMap(() => listTestData(...folder, scenario, 'events').map((file) => [scenario, file] as const)),
  );

  it.each(files)('are taken: %s %s', (scenario, file) => {
    const document = readTestJson<Record<string, unknown>>(...folder, scenario, 'events', file);
    expect(isLineageEvent(document)).toBe(true);
    expect(readEvent(document).kind).toBe('run');
  });
});
