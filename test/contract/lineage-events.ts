import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShared, type Shared } from '../../src/composition/shared.ts';
import { type Integrity, integrityLinks, openIntegrityOn } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { runEvent } from '../builders/lineage-events.ts';
import { newGraph } from '../http/manifest-samples.ts';
import { send } from '../http/service.ts';
import { newServiceStore, type ServiceStore } from '../http/service-store.ts';
import { runs } from '../property-runs.ts';

const tables = (run: string) => [`${run}-1`, `${run}-2`];
/** A run that writes a table, two that read it, and a later one that writes it again, with events that say different things. */
const events = [
  runEvent('START', { run: 'w', minute: 0, inputs: tables('raw') }),
  runEvent('COMPLETE', { run: 'w', minute: 1, outputs: ['orders'] }),
  runEvent('START', { run: 'r1', minute: 2, inputs: ['orders'] }),
  runEvent('RUNNING', { run: 'r1', minute: 3, inputs: ['people'] }),
  runEvent('COMPLETE', { run: 'r1', minute: 4, outputs: tables('report') }),
  runEvent('OTHER', { run: 'r1', minute: 5, outputs: ['log'] }),
  runEvent('COMPLETE', { run: 'r2', minute: 8, inputs: ['orders'], outputs: ['copy'] }),
  runEvent('COMPLETE', { run: 'w2', minute: 7, inputs: ['raw-2'], outputs: ['orders'] }),
  runEvent('FAIL', { run: 'w3', minute: 6, outputs: ['orders'] }),
];

/** @param kind of the store. Default: that of the tests. */
export function lineageEventsContract(kind?: 'mongodb'): void {
  let store: ServiceStore;
  let shared: Shared & AsyncDisposable;
  let services: readonly Integrity[] = [];

  /** Two services on one store share nothing else, as two processes do. */
  beforeAll(async () => {
    store = await newServiceStore(kind);
    const settings = readSettings({ ...store.environment, CAIRN_WORKERS: '1' });
    const log = pino({ level: 'silent' });
    shared = await openShared(settings, log, ['integrity']);
    const options = {
      worksOnJobs: true,
      neighbours: [],
      links: integrityLinks,
      besideControlPlane: false,
      stopping: new AbortController().signal,
    };
    const open = () => openIntegrityOn(shared, settings, log, options);
    services = [await open(), await open()];
  });
  afterAll(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
    await shared[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  test('events at the same time, in any order, some twice, to two processes give the same runs', async () => {
    const seen = new Set<string>();
    const someEvents = fc.shuffledSubarray([...events, ...events.slice(3, 6)], {
      minLength: events.length + 3,
    });
    await fc.assert(
      fc.asyncProperty(someEvents, fc.infiniteStream(fc.nat(1)), async (order, at) => {
        const graph = await newGraph(services[0] as Integrity);
        const on = () => services[at.next().value ?? 0] as Integrity;
        const sent = order.map((event) => send(on(), 'POST', `/api/v1/lineage?graph_id=${graph}`, event));
        for (const { status, text } of await Promise.all(sent)) expect([200, 201], text).toContain(status);
        const list = await send(on(), 'GET', `/runs/v1?graph_id=${graph}&limit=100`);
        const counting = list.json.runs.filter(
          (run: { trust: { state: string } }) => run.trust.state !== 'retracted',
        );
        const found = counting.map(({ id, started, duration, result }: Record<string, unknown>) => ({
          id,
          started,
          duration,
          result,
        }));
        expect(found).toHaveLength(5);
        seen.add(
          JSON.stringify(found.toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1))),
        );
        expect([...seen]).toHaveLength(1);
      }),
      { numRuns: runs(20) },
    );
  });
}
