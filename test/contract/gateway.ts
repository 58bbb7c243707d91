import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayPorts } from '../../src/composition/agents.ts';
import { agents } from '../../src/domain/control-plane/agents/agents.ts';
import { checkedEvent, keepEvents } from '../../src/domain/control-plane/gateway/events.ts';
import { checkedExchange, keepExchanges } from '../../src/domain/control-plane/gateway/exchanges.ts';
import type { GatewayPorts } from '../../src/domain/control-plane/gateway/ports.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../src/domain/control-plane/gateway/sealed-contents.ts';
import { checkedState, keepStates } from '../../src/domain/control-plane/gateway/states.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/storage/open.ts';
import { newAgent } from '../builders/agents.ts';
import { sentEvent, sentExchange, sentState } from '../builders/gateway.ts';
import { runs } from '../property-runs.ts';

type Opening = Pick<Store, 'of' | 'sealedContents'>;

interface Stores extends Opening, AsyncDisposable {
  /** Another opening of the same store, as another process has it. */
  readonly other?: Opening;
}

/** A record by its kind, and the exchange that it names. */
interface Planned {
  readonly kind: 'exchange' | 'event' | 'state';
  readonly agent: number;
  readonly exchange: number;
}

const planned = fc.record<Planned>({
  kind: fc.constantFrom('exchange', 'event', 'event', 'state'),
  agent: fc.nat({ max: 1 }),
  exchange: fc.nat({ max: 4 }),
});

/** Records of a kind in the order of a plan, in batches; and the order in which the batches arrive, with repeats. */
const deliveries = fc.array(planned, { minLength: 2, maxLength: 12 }).chain((plan) =>
  fc.record({
    plan: fc.constant(plan),
    early: fc.array(fc.nat({ max: plan.length - 1 }), { maxLength: 8 }),
    all: fc.shuffledSubarray([...plan.keys()], { minLength: plan.length }),
    late: fc.array(fc.nat({ max: plan.length - 1 }), { maxLength: 4 }),
  }),
);

/** How every store takes in what gateways report. */
export function gatewayContract(open: () => Promise<Stores>): void {
  describe('what gateways report', () => {
    let stores: Stores;
    let ports: GatewayPorts;
    let otherPorts: GatewayPorts;
    const names = ['one', 'other'].map((name) => `${name}-${randomUUID()}`) as [string, string];

    beforeAll(async () => {
      stores = await open();
      ports = gatewayPorts(stores, () => new Date());
      otherPorts = stores.other ? gatewayPorts(stores.other, () => new Date()) : ports;
      await stores.of(agents).insert(names.map((id) => newAgent({ id })));
    });
    afterAll(() => stores[Symbol.asyncDispose]());

    /** Sends a record. @returns what the gateway gets to know about it. */
    async function send(own: string, plan: readonly Planned[], at: number, to = ports): Promise<string> {
      const { kind, agent, exchange } = plan[at] ?? expect.fail();
      const agentId = names[agent] ?? expect.fail();
      const exchangeSourceId = `${own} exchange ${exchange}`;
      if (kind === 'exchange') {
        // The first record of an exchange decides whose it is.
        const owner = names[plan.find((one) => one.kind === kind && one.exchange === exchange)?.agent ?? 0];
        const sent = { sourceId: exchangeSourceId, agentId: String(owner), projectUrn: `urn:${own}` };
        const [kept] = await keepExchanges(to, [checkedExchange(sentExchange(sent))]);
        return String(kept?.exchangeKey);
      }
      const sent = { sourceId: `${own} record ${at}`, agentId, exchangeSourceId };
      const limits = { maxJsonDepth: 8 };
      if (kind === 'event') return String((await keepEvents(to, [checkedEvent(sentEvent(sent))]))[0]?.id);
      return String((await keepStates(to, [checkedState(sentState(sent), limits)]))[0]?.id);
    }

    /** The exchange that each event and state has joined, by its source id. */
    async function joined(own: string, plan: readonly Planned[]) {
      const ids = plan.map((_, at) => `${own} record ${at}`);
      const found = await Promise.all([
        stores.of(pluginEvents).among('bySource', ids, 2),
        stores.of(stateRecords).among('bySource', ids, 2),
      ]);
      const all = found.flatMap((groups) => groups.flat());
      const keys = all.flatMap(({ exchangeKey }) => exchangeKey ?? []);
      const exchanges = (await stores.of(auditExchanges).among('key', keys, 1)).flat();
      const sources = new Map(exchanges.map(({ exchangeKey, sourceId }) => [exchangeKey, sourceId]));
      return all
        .map(({ sourceId, exchangeKey, projectUrn }) => [
          sourceId,
          sources.get(String(exchangeKey)),
          projectUrn,
        ])
        .sort();
    }

    /** What must be joined in the end. */
    function expected(own: string, plan: readonly Planned[]) {
      const owners = new Map<number, number>();
      for (const { kind, agent, exchange } of plan)
        if (kind === 'exchange' && !owners.has(exchange)) owners.set(exchange, agent);
      return plan
        .flatMap(({ kind, agent, exchange }, at) => {
          if (kind === 'exchange') return [];
          const isJoined = owners.get(exchange) === agent;
          const link = isJoined ? [`${own} exchange ${exchange}`, `urn:${own}`] : [undefined, null];
          return [[`${own} record ${at}`, ...link]];
        })
        .sort();
    }

    /** Every pack has a record, and every part of a record can be read. */
    async function expectWhole(): Promise<void> {
      for await (const name of stores.sealedContents.names()) {
        const request = { after: null, limit: 1 };
        const exchange = await stores.of(auditExchanges).page('byPack', [name], request);
        const state = await stores.of(stateRecords).page('byPack', [name], request);
        const [one, other] = [exchange.records[0], state.records[0]];
        expect(one ?? other).toBeDefined();
        for (const part of [one?.requestBody, one?.responseBody, other?.attestation])
          if (part) expect(await readSealed(stores.sealedContents, part)).toHaveLength(part.size);
      }
    }

    test('is the same whatever arrives first, and however often', async () => {
      await fc.assert(
        fc.asyncProperty(deliveries, async ({ plan, early, all, late }) => {
          const own = randomUUID();
          const answered = new Map<number, string>();
          for (const at of [...early, ...all, ...late]) {
            const answer = await send(own, plan, at);
            expect(answer).toBe(answered.get(at) ?? answer);
            answered.set(at, answer);
          }
          expect(await joined(own, plan)).toEqual(expected(own, plan));
        }),
        { numRuns: runs(50), endOnFailure: true },
      );
      await expectWhole();
    });

    test('is the same when everything arrives at once, twice', async () => {
      await fc.assert(
        fc.asyncProperty(deliveries, async ({ plan, all }) => {
          const own = randomUUID();
          const [one, again] = await Promise.all(
            [ports, otherPorts].map((to) => Promise.all(all.map((at) => send(own, plan, at, to)))),
          );
          expect(again).toEqual(one);
          expect(await joined(own, plan)).toEqual(expected(own, plan));
        }),
        { numRuns: runs(25), endOnFailure: true },
      );
      await expectWhole();
    });

    test.each([
      ['exchange', 'event'],
      ['exchange', 'state'],
      ['event', 'exchange'],
      ['state', 'exchange'],
    ] as const)('joins if an %s arrives while an %s is being stored', async (early, late) => {
      const own = randomUUID();
      const plan = [early, late].map((kind) => ({ kind, agent: 0, exchange: 0 }));
      const during = <Item>(port: { insert(items: readonly Item[]): Promise<boolean[]> }) => ({
        async insert(items: readonly Item[]) {
          await send(own, plan, 0, otherPorts);
          return await port.insert(items);
        },
      });
      const { exchanges, events, states } = ports;
      const interrupted: GatewayPorts = {
        ...ports,
        exchanges: { ...exchanges, ...during(exchanges) },
        events: { ...events, ...during(events) },
        states: { ...states, ...during(states) },
      };
      await send(own, plan, 1, interrupted);
      expect(await joined(own, plan)).toEqual(expected(own, plan));
    });

    test('is complete when a request that failed at any step is repeated', async () => {
      const plan: Planned[] = [
        { kind: 'event', agent: 0, exchange: 0 },
        { kind: 'state', agent: 0, exchange: 0 },
        { kind: 'exchange', agent: 0, exchange: 0 },
        { kind: 'event', agent: 0, exchange: 0 },
        { kind: 'state', agent: 0, exchange: 0 },
      ];
      for (let step = 0, isFailing = true; isFailing; step += 1) {
        const own = randomUUID();
        const failing = failingAt(ports, step);
        isFailing = false;
        for (const at of plan.keys())
          await send(own, plan, at, failing).catch((error: unknown) => {
            if (!(error instanceof ServiceError)) throw error;
            isFailing = true;
          });
        const answers = [];
        for (const at of plan.keys()) answers.push(await send(own, plan, at));
        expect(await joined(own, plan)).toEqual(expected(own, plan));
        for (const at of plan.keys()) expect(await send(own, plan, at)).toBe(answers[at]);
        expect(step).toBeLessThan(100);
      }
    });
  });
}

/** Ports of which everything fails from a number of writes on, as if the process had ended. */
function failingAt(ports: GatewayPorts, step: number): GatewayPorts {
  let count = 0;
  const failing = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        const isWrite = name === 'insert' || name === 'update' || name === 'stage';
        if (!isWrite || typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          if (count++ >= step) throw new ServiceError('unavailable', 'The process has ended.');
          return member.apply(target, given);
        };
      },
    });
  const { exchanges, events, states, sealedContents } = ports;
  return {
    ...ports,
    exchanges: failing(exchanges),
    events: failing(events),
    states: failing(states),
    sealedContents: failing(sealedContents),
  };
}
