import { join } from 'node:path';
import { agents } from '../src/domain/control-plane/agents/agents.ts';
import { gatewayScopes } from '../src/domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../src/platform/agent-tokens/gateway-credential.ts';
import { openStore } from '../src/storage/open.ts';
import { exampleAgent as agent } from './example-agent.ts';
import { quantile, report } from './measure.ts';
import { withServers } from './mongo-service.ts';
import { startService } from './service-process.ts';

// An agent is revoked on one process while another takes in its records, on MongoDB and Redis: from the request for the
// revocation to its answer, and to the first refused record.

const rounds = Number(process.env.ROUNDS ?? 200);
const secret = 'a secret for figures alone, and for nothing else';
async function change(url: string, to: 'revoke' | 'restore'): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/agents/${agent.id}/${to}`, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(await response.text());
}

/** Whether a process refuses a new record of the agent. */
async function refuses(url: string, authorization: string, sourceId: string): Promise<boolean> {
  const occurred_at = '2026-01-31T12:00:00Z';
  const record = { source_id: sourceId, agent_id: agent.id, occurred_at, outcome: 'ok' };
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ records: [record] });
  const response = await fetch(`${url}/v1/gateway/audit-exchanges`, { method: 'POST', headers, body });
  const { code } = (await response.json()) as { code?: string };
  if (!response.ok && code !== 'agent_revoked') throw new Error(code);
  return !response.ok;
}

await withServers(async ({ folder, environment }) => {
  const { CAIRN_MONGODB_URL: mongodbUrl = '', CAIRN_MONGODB_DATABASE: mongodbDatabase = '' } = environment;
  const place = { dataDir: join(folder, 'store'), mongodbUrl, mongodbDatabase, startWait: 0 };
  {
    await using store = await openStore(place, () => undefined);
    await store.of(agents).insert([agent]);
  }
  const settings = { ...environment, CAIRN_GATEWAY_SECRET: secret };
  await using one = await startService(join(folder, 'one'), settings);
  await using other = await startService(join(folder, 'other'), settings);
  const credential = { name: 'gateway-1', scopes: gatewayScopes, lifetimeMs: 3_600_000, now: new Date() };
  const authorization = `Bearer ${await signGatewayCredential(secret, credential)}`;
  const [answered, refused]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await change(one.url, 'revoke');
    answered.push(performance.now() - startedAt);
    for (let at = 0; !(await refuses(other.url, authorization, `${round} ${at}`)); ) at += 1;
    refused.push(performance.now() - startedAt);
    await change(one.url, 'restore');
  }
  const row = (what: string, times: number[]) => ({
    what,
    'p50 ms': quantile(times, 0.5),
    'p99 ms': quantile(times, 0.99),
  });
  report(`${rounds} revocations`, [row('answered', answered), row('refused on the other process', refused)]);
});
