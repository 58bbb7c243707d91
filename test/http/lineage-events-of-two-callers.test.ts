import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { identified } from '../../src/domain/integrity/evidence/things.ts';
import { startProvider } from '../access/provider.ts';
import { runEvent } from '../builders/lineage-events.ts';
import { ownStatement } from '../builders/statements.ts';
import { json, newWorld, oidcSettings, sendAs, tokenWith } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService(oidcSettings(provider));
let [graph, reader, writer] = ['', '', ''];

beforeAll(async () => {
  const world = await newWorld(service, await tokenWith(provider, { '*': permissions }));
  graph = world.beta.id;
  const granted = { [graph]: permissions };
  reader = await tokenWith(provider, granted, { sub: 'reader' });
  writer = await tokenWith(provider, granted, { sub: 'writer' });
});
afterAll(async () => await provider[Symbol.asyncDispose]());

async function post(token: string, event: object) {
  const path = `/api/v1/lineage?graph_id=${graph}`;
  expect((await sendAs(service, token, { method: 'POST', path, ...json(event) })).status).toBe(201);
}

interface ListedRun {
  readonly id: string;
  readonly inputs: readonly { readonly id: string }[];
  readonly outputs: readonly { readonly name: string }[];
  readonly trust: { readonly state: string };
}

async function runsOf(output: string): Promise<ListedRun[]> {
  const { json: listed } = await sendAs(service, reader, {
    method: 'GET',
    path: `/runs/v1?graph_id=${graph}`,
  });
  return listed.runs.filter(
    ({ outputs, trust }: ListedRun) => trust.state !== 'retracted' && outputs[0]?.name === output,
  );
}

test('a run of one caller that wrote what a run of another had read changes that run, and stays without power over it', async () => {
  await post(
    reader,
    runEvent('COMPLETE', { run: 'read', minute: 5, inputs: ['orders'], outputs: ['report'] }),
  );
  await post(writer, runEvent('COMPLETE', { run: 'write', minute: 1, outputs: ['orders'] }));
  const { runId } = runEvent('START', { run: 'write' }).run;
  const reference = { namespace: 'postgres://db', name: 'orders', run: runId };
  const [run, ...others] = await runsOf('report');
  expect([run?.inputs.map(({ id }) => id), others]).toEqual([[identified({ reference }).id], []]);

  const retraction = ownStatement('RetractionRegistration', { subject: run?.id });
  const withdrawal = { statement: retraction, generate_id: true, graph_id: graph };
  const put = { method: 'PUT', path: '/statements/v1', ...json(withdrawal) };
  expect((await sendAs(service, writer, put)).status).toBe(201);
  expect(await runsOf('report')).toHaveLength(1);
  expect((await sendAs(service, reader, put)).status).toBe(200);
  expect(await runsOf('report')).toHaveLength(0);
});
