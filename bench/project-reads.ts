import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { openSharedRateLimits } from '../src/composition/shared.ts';
import { openControlPlane } from '../src/control-plane.ts';
import { type Agent, agents } from '../src/domain/control-plane/agents/agents.ts';
import {
  type ProjectMembership,
  projectMemberships,
} from '../src/domain/control-plane/gateway/project-records.ts';
import { type AuditExchange, auditExchanges } from '../src/domain/control-plane/gateway/runtime-records.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { openBenchStore } from './lineage/bench-store.ts';
import { quantile, type Row, report } from './measure.ts';
import { withFolder } from './service-process.ts';

// Reads of a project with many exchanges of one agent and many agents, in the embedded store, or in MongoDB with
// STORE=mongodb. Requests are answered by the application, without a network.

const exchangeCount = Number(process.env.EXCHANGES ?? 100_000);
const agentCount = Number(process.env.AGENTS ?? 10_000);
const runs = Number(process.env.RUNS ?? 100);
const batch = 1_000;
const project = randomUUID();
const first = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const days = 30;
const received = { digest: 'digest', receivedAt: first, isLogged: true };

function exchange(at: number): AuditExchange {
  return {
    ...received,
    exchangeKey: randomUUID(),
    sourceId: `exchange ${at}`,
    agentId: agentId(0),
    projectUrn: `urn:uuid:${project}`,
    candidateProjectUrn: null,
    occurredAt: first + Math.floor((at / exchangeCount) * days * day),
    durationMs: (at * 7_919) % 5_003,
    outcome: at % 50 === 0 ? 'error' : at % 75 === 0 ? 'denied' : 'ok',
    inputTokens: null,
    outputTokens: null,
    model: `model-${at % 5}`,
    correlationId: null,
    requestBody: null,
    responseBody: null,
    pack: null,
  };
}

function agent(at: number): Agent {
  const actor = { issuer: 'https://idp.example', subject: `subject ${at % 100}` };
  return {
    id: agentId(at),
    ...actor,
    handle: `handle-${at}`,
    name: `Agent ${at}`,
    did: `did:key:z${at}`,
    state: 'active',
    version: 1,
    createdAt: first + at,
    changedAt: first + at,
    lastChange: { event: 'registered', actor, reason: null },
  };
}

function membership(at: number): ProjectMembership {
  return {
    ...received,
    sourceId: `membership ${at}`,
    projectUuid: project,
    agentId: agentId(at),
    subjectDid: `did:key:z${at}`,
    validFrom: first,
    validUntil: null,
    credentialId: null,
    status: null,
  };
}

function agentId(at: number): string {
  return `agent_${String(at).padStart(9, '0')}`;
}

async function fill<Item>(
  count: number,
  make: (at: number) => Item,
  insert: (items: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < count; start += batch)
    await insert(Array.from({ length: Math.min(batch, count - start) }, (_, at) => make(start + at)));
}

/** Durations of single calls. `held`: how long they blocked the event loop. */
async function timed(what: string, call: (run: number) => Promise<unknown>, calls = runs): Promise<Row> {
  await call(0);
  const held = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  held.enable();
  for (let run = 0; run < calls; run += 1) {
    const startedAt = performance.now();
    await call(run);
    times.push(performance.now() - startedAt);
    await new Promise(setImmediate);
  }
  held.disable();
  const ms = { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
  return { what, ...ms, 'loop held, p99 ms': held.percentile(99) / 1e6 };
}

await withFolder(async (folder) => {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openBenchStore(folder));
  const settings = readSettings({});
  const log = pino({ level: 'silent' });
  const rateLimits = opened.use(await openSharedRateLimits(settings, log));
  const { app } = opened.use(await openControlPlane({ store, rateLimits }, settings, log));
  await fill(agentCount, agent, (items) => store.of(agents).insert(items));
  await fill(agentCount, membership, (items) => store.of(projectMemberships).insert(items));
  await fill(exchangeCount, exchange, (items) => store.of(auditExchanges).insert(items));

  async function read(path: string): Promise<{ next_cursor?: string }> {
    const response = await app.request(`http://127.0.0.1${path}`);
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { next_cursor?: string };
  }
  const base = `/v1/projects/${project}/agents`;
  const exchanges = `${base}/${agentId(0)}/audit-exchanges`;
  const time = (at: number) => new Date(at).toISOString();
  const series = (interval: string, from: number, length: number) =>
    read(`${exchanges}/timeseries?interval=${interval}&from=${time(from)}&to=${time(from + length)}`);
  const dayOf = (run: number) => first + (run % (days - 1)) * day;
  /** Follows the cursors of a list, from its start again after its end. */
  function paging(path: string) {
    let cursor: string | undefined;
    return async () => {
      const next = cursor === undefined ? '' : `&cursor=${cursor}`;
      ({ next_cursor: cursor } = await read(`${path}?limit=1000${next}`));
    };
  }

  const perDay = Math.round(exchangeCount / days).toLocaleString('en');
  report(`Time series of an agent with ${exchangeCount.toLocaleString('en')} exchanges`, [
    await timed('all of them by day', () => series('day', first, days * day), Math.ceil(runs / 5)),
    await timed('all of them by hour', () => series('hour', first, days * day), Math.ceil(runs / 5)),
    await timed(`${perDay} of one day by hour`, (run) => series('hour', dayOf(run), day)),
    await timed(`${perDay} of one day by minute`, (run) => series('minute', dayOf(run), day)),
    await timed('one hour by minute', (run) => series('minute', dayOf(run), day / 24)),
  ]);
  report(`Pages of 1,000, with ${agentCount.toLocaleString('en')} agents`, [
    await timed('agents of the project', paging(base)),
    await timed('all agents', paging('/v1/agents')),
    await timed('exchanges of an agent', paging(exchanges)),
  ]);
});
