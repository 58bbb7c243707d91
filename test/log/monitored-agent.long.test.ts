import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../bench/free-port.ts';
import { openServices } from '../../src/composition/services.ts';
import { agentRecords, agents } from '../../src/domain/control-plane/agents/agents.ts';
import { settle } from '../../src/domain/control-plane/agents/changes.ts';
import { auditExchanges } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { listen } from '../../src/platform/http/server.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../src/storage/open.ts';
import { newAgent } from '../builders/agents.ts';
import { entriesOfLog } from '../builders/log-entries.ts';
import { exchange } from '../builders/runtime-records.ts';
import { cairn } from '../cli/run-cairn.ts';
import { answerOf } from '../http/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const opened = new AsyncDisposableStack();
const agent = newAgent({ name: 'Build agent' });
const other = newAgent();
const dataDir = opened.use(temporaryFolder()).path;
const settings = readSettings({ CAIRN_DATA_DIR: dataDir, CAIRN_WORKERS: '1' });
// A monitor follows one address.
const port = await freePort();

afterAll(() => opened.disposeAsync());

/** Changes the store while no service uses it. */
async function change(work: (store: Store) => Promise<unknown>): Promise<void> {
  await using store = await openStore(settings, () => undefined);
  await work(store);
}

/** Both services behind one address. */
async function serve() {
  const stack = new AsyncDisposableStack();
  const log = pino({ level: 'silent' });
  const services = stack.use(
    await openServices(settings, log, ['integrity', 'control-plane'], { worksOnJobs: true }),
  );
  const server = await listen({ fetch: services.fetch, host: '127.0.0.1', port });
  stack.defer(() => server.stop(0));
  const get = async (path: string) => answerOf(await fetch(`${server.url}${path}`));
  const look = async (...args: string[]) => {
    const flags = ['--once', '--state', join(dataDir, 'state'), '--json', '--agent', agent.id];
    return await cairn(['log', 'monitor', ...flags, ...args], { env: { CAIRN_URL: server.url } });
  };
  const reaches = async (size: number) =>
    await expect
      .poll(async () => (await get(`/log/v1/agents/${agent.id}/checkpoint`)).text, { timeout: 10_000 })
      .toContain(`\n${size}\n`);
  return { get, look, reaches, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

beforeAll(async () => {
  // Before the first start, so that the log begins with a note about older entries.
  const reported = [exchange({ agentId: agent.id }), exchange({ agentId: agent.id })];
  await change(async (store) => {
    await store.of(agents).insert([agent, other]);
    await settle(agentRecords(store), agent);
    await store.of(auditExchanges).insert(reported);
  });
});

test('a monitor checks every head of an agent against its entries', async () => {
  {
    await using services = await serve();
    await services.reaches(4);
    const { code, stdout } = await services.look();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      heads: [{ name: `agents/${agent.id}`, size: 4, checked: 2 }],
    });
    const page = (await services.get(`/ui/agents/${agent.id}`)).text;
    expect(page).toMatch(/4 entries, the newest since .* by this service/);
  }
  await change((store) => store.of(auditExchanges).insert([exchange({ agentId: agent.id })]));
  await using services = await serve();
  await services.reaches(5);
  expect(JSON.parse((await services.look()).stdout)).toMatchObject({ heads: [{ size: 5, checked: 1 }] });
});

test('the log of an agent is read like every log, and signed with the key of the service log', async () => {
  await using services = await serve();
  await services.reaches(5);
  const below = (path: string) => services.get(`/log/v1/agents/${agent.id}/${path}`);
  const [origin = ''] = (await below('checkpoint')).text.split('\n');
  expect(origin).toMatch(new RegExp(`/log/v1/agents/${agent.id}$`));
  expect((await below('key')).text).toMatch(new RegExp(`^${origin}\\+`));
  const tile = await below('tile/entries/000.p/5');
  expect(tile.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  expect((await below('tile/0/000.p/6')).status).toBe(404);
  expect((await services.get(`/log/v1/agents/${other.id}/checkpoint`)).status).toBe(404);
  expect((await services.get('/log/v1/agents/nobody/name')).json).toMatchObject({ code: 'not_found' });
});

test('an exchange that is changed, or gone, no longer fits the log', async () => {
  await change(async (store) => {
    const { records } = await store.of(auditExchanges).page('key', [], { after: null, limit: 1 });
    const [one] = records;
    const before = await entriesOfLog(store, `agents/${agent.id}`);
    await store.of(auditExchanges).update(one?.exchangeKey ?? '', {}, { outcome: 'denied' });
    expect(await entriesOfLog(store, `agents/${agent.id}`)).toEqual(before);
  });
  const { code, stdout } = await cairn(['fsck', '--data-dir', dataDir]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/audit_exchanges\/\S+ says something else than entry 2 of this log/);
});
