import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { agents } from '../../../../src/domain/control-plane/agents/agents.ts';
import { projectMemberships } from '../../../../src/domain/control-plane/gateway/project-records.ts';
import {
  auditExchanges,
  pluginEvents,
  type SealedBody,
  stateRecords,
} from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import {
  agent,
  exchange,
  membership,
  pluginEvent,
  stateRecord,
  urnOf,
} from '../../../builders/runtime-records.ts';
import { runs } from '../../../property-runs.ts';
import { type ProjectPlane, useProjectPlane } from './project-plane.ts';
import { noon, pathsOf, sealed } from './seeded.ts';

let plane: ProjectPlane;
let bodies: readonly SealedBody[];

const where = fc.constantFrom('own', 'other', 'none', 'candidate');
const who = fc.constantFrom('own', 'own', 'other');
const exchangeRow = fc.record({ where, who, body: fc.option(fc.nat(3)) });
/** An event or a state. `of` picks its exchange, and `claims` the project and agent that it names. */
const dependentRow = fc.record({
  of: fc.option(fc.nat(20)),
  claims: fc.option(fc.record({ where, who })),
  body: fc.nat(1),
  children: fc.uniqueArray(fc.integer({ min: 2, max: 3 })),
  blobs: fc.uniqueArray(fc.integer({ min: 2, max: 3 })),
});
const mixed = fc.record({
  exchanges: fc.array(exchangeRow, { minLength: 1, maxLength: 8 }),
  events: fc.array(dependentRow, { maxLength: 8 }),
  states: fc.array(dependentRow, { maxLength: 8 }),
});

type Dependent = typeof dependentRow extends fc.Arbitrary<infer Row> ? Row : never;

/** Declares the property for one kind of store. */
export function mixedRowsProperty(kind: 'embedded' | 'mongodb', count: number): void {
  const own = useProjectPlane(() => ({}), kind);

  beforeAll(async () => {
    plane = own;
    const contentType = 'text/plain';
    const texts = Array.from({ length: 4 }, (_, at) => ({ text: `body ${at}`, contentType }));
    bodies = await sealed(plane.store, texts);
  });

  test('the nine reads show the records of the project and the agent, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async (rows) => {
        const world = await stored(rows);
        expect(await shown(world)).toEqual(expected(world));
      }),
      { numRuns: runs(count) },
    );
  });
}

type World = Awaited<ReturnType<typeof stored>>;

async function stored({
  exchanges,
  events,
  states,
}: typeof mixed extends fc.Arbitrary<infer Rows> ? Rows : never) {
  const { store } = plane;
  const [project, agentId] = [randomUUID(), randomUUID()];
  const [otherProject, otherAgent] = [randomUUID(), randomUUID()];
  await store.of(agents).insert([agent(agentId), agent(otherAgent)]);
  await store
    .of(projectMemberships)
    .insert([membership(project, agentId, 'did:key:a'), membership(project, otherAgent, 'did:key:b')]);
  const place = (row: { where: string; who: string }) => ({
    agentId: row.who === 'own' ? agentId : otherAgent,
    projectUrn: row.where === 'own' ? urnOf(project) : row.where === 'other' ? urnOf(otherProject) : null,
  });
  const exchangeRows = exchanges.map((row, at) =>
    exchange({
      ...place(row),
      candidateProjectUrn: row.where === 'candidate' ? urnOf(project) : null,
      correlationId: 'shared by all',
      occurredAt: noon + at,
      requestBody: row.body === null ? null : (bodies[row.body] ?? null),
      responseBody: bodies[3] ?? null,
    }),
  );
  const link = ({ of, claims }: Dependent, at: number) => {
    const exchangeKey = of === null ? null : (exchangeRows[of]?.exchangeKey ?? randomUUID());
    return { exchangeKey, occurredAt: noon + at, ...(claims && place(claims)) };
  };
  const target = ({ of }: Dependent) =>
    exchangeRows[of ?? 0] ?? exchange({ agentId, projectUrn: urnOf(project) });
  const eventRows = events.map((row, at) => pluginEvent(target(row), link(row, at)));
  const stateRows = states.map((row, at) => {
    const attestation = bodies[row.body] as SealedBody;
    return stateRecord(target(row), attestation.cid, {
      ...link(row, at),
      attestation,
      children: row.children.map((child) => bodies[child]?.cid ?? ''),
      blobs: row.blobs.map((blob) => {
        const { contentType: _, ...part } = bodies[blob] as SealedBody;
        return part;
      }),
    });
  });
  await store.of(auditExchanges).insert(exchangeRows);
  await store.of(pluginEvents).insert(eventRows);
  await store.of(stateRecords).insert(stateRows);
  return { project, agentId, exchanges: exchangeRows, events: eventRows, states: stateRows };
}

/** What the reads answer: the bytes of each body and blob by what it was asked for; null where there is none. */
async function shown({ project, agentId, exchanges, states }: World) {
  const asked = async (read: string, values: Record<string, string> = {}) => {
    const path = pathsOf({ project_uuid: project, agent_id: agentId, ...values })[
      `GET /v1/projects/{project_uuid}/agents/{agent_id}/${read}`
    ];
    const answer = await plane.get(
      `${path}${read.endsWith('timeseries') ? '?from=2026-01-31T00:00:00Z&to=2026-02-01T00:00:00Z' : ''}`,
    );
    expect([200, 404]).toContain(answer.status);
    return answer.status === 404 ? null : answer;
  };
  const text = async (read: string, values: Record<string, string>) =>
    (await asked(read, values))?.text ?? null;
  const series = await asked('audit-exchanges/timeseries');
  const counts = series?.json.buckets.map(({ count }: { count: number }) => count);
  return {
    exchanges: (await asked('audit-exchanges'))?.json.audit_exchanges.map(keyOf),
    count: counts.reduce((sum: number, count: number) => sum + count, 0),
    events: (await asked('plugin-events'))?.json.plugin_events.map(({ id }: { id: string }) => id),
    states: (await asked('state-cids'))?.json.states.map((state: Record<string, string>) => [
      state.state_cid,
      state.exchange_key,
    ]),
    details: await Promise.all(
      exchanges.map(async ({ exchangeKey: exchange_key }) => [
        (await asked('audit-exchanges/{exchange_key}', { exchange_key })) !== null,
        await text('audit-exchanges/{exchange_key}/request-body', { exchange_key }),
        await text('audit-exchanges/{exchange_key}/response-body', { exchange_key }),
      ]),
    ),
    blobs: await Promise.all(
      states.flatMap(({ stateCid: state_cid }) => [
        text('state-cids/{state_cid}/blob', { state_cid }),
        ...bodies.map(({ cid }) => text('state-cids/{state_cid}/blobs/{cid}', { state_cid, cid })),
      ]),
    ),
  };
}

const keyOf = (one: { exchange_key: string }) => one.exchange_key;
const textOf = (cid: string | undefined) => {
  const at = bodies.findIndex((body) => body.cid === cid);
  return at < 0 ? null : `body ${at}`;
};

/** The same, found without the code under test. */
function expected({ project, agentId, exchanges, events, states }: World): Awaited<ReturnType<typeof shown>> {
  const isOwn = (row: { projectUrn: string | null; agentId: string }) =>
    row.projectUrn === `urn:uuid:${project}` && row.agentId === agentId;
  const own = exchanges.filter(isOwn);
  const hasExchange = (row: { exchangeKey: string | null }) =>
    own.some(({ exchangeKey }) => exchangeKey === row.exchangeKey);
  const ownStates = states.filter((state) => isOwn(state) && hasExchange(state));
  return {
    exchanges: own.map(({ exchangeKey }) => exchangeKey),
    count: own.length,
    events: events.filter((event) => isOwn(event) && hasExchange(event)).map(({ id }) => id),
    states: ownStates.map(({ stateCid, exchangeKey }) => [stateCid, exchangeKey]),
    details: exchanges.map((one) =>
      isOwn(one) ? [true, textOf(one.requestBody?.cid), textOf(one.responseBody?.cid)] : [false, null, null],
    ),
    blobs: states.flatMap(({ stateCid }) => {
      const same = ownStates.filter((state) => state.stateCid === stateCid);
      const isShown = (cid: string) =>
        same.some(({ children, blobs }) => children.includes(cid) && blobs.some((blob) => blob.cid === cid));
      return [
        same.length > 0 ? textOf(stateCid) : null,
        ...bodies.map(({ cid }) => (isShown(cid) ? textOf(cid) : null)),
      ];
    }),
  };
}
