import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { agents } from '../src/domain/control-plane/agents/agents.ts';
import { gatewayScopes } from '../src/domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../src/platform/agent-tokens/gateway-credential.ts';
import { openStore, type StoreSettings } from '../src/storage/open.ts';
import { bareInsertMany } from './bare-insert-many.ts';
import { exampleAgent as agent } from './example-agent.ts';
import { median, type Row, report } from './measure.ts';
import { withServers } from './mongo-service.ts';
import { startService, withFolder } from './service-process.ts';

// Exchanges over HTTP, from request to acknowledgement, compared with bare inserts of the same records with the same
// indexes and concurrency. Once without bodies, once with two bodies each, which the bare inserts do not store, and once as
// the spans of OpenTelemetry traces.

const batchSize = 1_000;
const inFlight = 3;
const batches = Number(process.env.BATCHES ?? 30);
const runs = 3;
const bodyBytes = 1_000;
const secret = 'a secret for figures alone, and for nothing else';
const environment = { CAIRN_GATEWAY_SECRET: secret };

const kinds = [
  'without bodies',
  `two bodies of ${bodyBytes} bytes each`,
  'OpenTelemetry spans in JSON',
] as const;
type Kind = (typeof kinds)[number];
const project = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';

/** @param run makes different records. */
function batchBody(batch: number, run: number, kind: Kind): string {
  if (kind === kinds[2]) return tracesBody(batch, run);
  const hasBodies = kind === kinds[1];
  const body = (at: number) => ({
    content_type: 'application/json',
    base64: Buffer.alloc(bodyBytes, `${run} ${batch} ${at} `).toString('base64'),
  });
  const records = Array.from({ length: batchSize }, (_, at) => ({
    source_id: `gateway-1/${run}/${batch}/${at}`,
    agent_id: agent.id,
    project_urn: `urn:uuid:${project}`,
    occurred_at: new Date(Date.UTC(2026, 1, 1) + (batch * batchSize + at) * 10).toISOString(),
    duration_ms: at,
    outcome: 'ok',
    model: 'model-1',
    correlation_id: `trace-${batch}-${at}`,
    ...(hasBodies && { request_body: body(at), response_body: body(-at) }),
  }));
  return JSON.stringify({ records });
}

function tracesBody(batch: number, run: number): string {
  const attribute = ([key, stringValue]: readonly [string, string]) => ({ key, value: { stringValue } });
  const told = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': 'model-1' };
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
  const spans = Array.from({ length: batchSize }, (_, at) => ({
    traceId: hex(run + 1, 32),
    spanId: hex(batch * batchSize + at + 1, 16),
    startTimeUnixNano: String(1_769_904_000_000_000_000n + BigInt((batch * batchSize + at) * 10_000_000)),
    endTimeUnixNano: '1900000000000000000',
    attributes: Object.entries(told).map(attribute),
  }));
  const of = { 'cairn.agent_id': agent.id, 'cairn.project_id': project };
  const resource = { attributes: Object.entries(of).map(attribute) };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

/** @returns acknowledged exchanges per second. */
async function ingest(url: string, run: number, kind: Kind): Promise<number> {
  const credential = { name: 'gateway-1', scopes: gatewayScopes, lifetimeMs: 3_600_000, now: new Date() };
  const authorization = `Bearer ${await signGatewayCredential(secret, credential)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const bodies = Array.from({ length: batches }, (_, batch) => batchBody(batch, run, kind));
  const path = kind === kinds[2] ? '/v1/traces' : '/v1/gateway/audit-exchanges';
  const startedAt = performance.now();
  const sender = async () => {
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
      const sent = { method: 'POST', headers, body };
      const response = await fetch(url + path, sent);
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  return ((batches * batchSize) / (performance.now() - startedAt)) * 1_000;
}

async function register(settings: StoreSettings): Promise<void> {
  await using store = await openStore(settings, () => undefined);
  await store.of(agents).insert([agent]);
}

/** Inserts the stored records into an empty database with the same table, in transactions of 1,000. */
function bareInserts(from: string, to: string): number {
  const source = new DatabaseSync(from, { readOnly: true });
  const target = new DatabaseSync(to);
  target.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  const schema = source
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name = 'audit_exchanges'")
    .all();
  for (const { sql } of schema) target.exec(String(sql));
  const rows = source.prepare('SELECT record FROM audit_exchanges').all();
  const insert = target.prepare('INSERT INTO audit_exchanges (record) VALUES (?)');
  const startedAt = performance.now();
  for (let at = 0; at < rows.length; at += batchSize) {
    target.exec('BEGIN');
    for (const { record } of rows.slice(at, at + batchSize)) insert.run(String(record));
    target.exec('COMMIT');
  }
  return (rows.length / (performance.now() - startedAt)) * 1_000;
}

interface Measured {
  readonly ours: number;
  readonly bare: number;
}

async function embedded(run: number, kind: Kind): Promise<Measured> {
  return await withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    await register({ dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 });
    let ours: number;
    {
      await using service = await startService(dataDir, environment);
      ours = await ingest(service.url, run, kind);
    }
    return { ours, bare: bareInserts(join(dataDir, 'cairn.db'), join(folder, 'bare.db')) };
  });
}

async function mongo(run: number, kind: Kind): Promise<Measured> {
  return await withServers(async ({ folder, environment: servers, db, plain }) => {
    const dataDir = join(folder, 'data');
    const address = { mongodbUrl: servers.CAIRN_MONGODB_URL ?? null, mongodbDatabase: db.databaseName };
    await register({ dataDir, ...address, startWait: 0 });
    await using service = await startService(dataDir, { ...servers, ...environment }, 'control-plane');
    const ours = await ingest(service.url, run, kind);
    return { ours, bare: await bareInsertMany(db, plain, { name: 'audit_exchanges', batchSize, inFlight }) };
  });
}

const rows: Row[] = [];
for (const [name, measure] of [
  ['embedded', embedded],
  ['MongoDB', mongo],
] as const)
  for (const kind of kinds) {
    const measured: Measured[] = [];
    for (let run = 0; run < runs; run += 1) measured.push(await measure(run, kind));
    const what = `${name}, ${kind}`;
    rows.push({
      what: `${what}: bare inserts of the same records`,
      'exchanges/s': median(measured.map(({ bare }) => bare)),
      ratio: 1,
    });
    rows.push({
      what: `${what}: Cairn over HTTP`,
      'exchanges/s': median(measured.map(({ ours }) => ours)),
      ratio: median(measured.map(({ ours, bare }) => ours / bare)),
    });
  }
report(`Exchanges in ${batches} batches of ${batchSize}, ${inFlight} at once`, rows);
