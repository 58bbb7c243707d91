import { parse } from 'content-disposition';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProvider } from '../access/provider.ts';
import { ownStatement } from '../builders/statements.ts';
import { json, newWorldWithCallers, oidcSettings, sendAs, type World } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService(oidcSettings(provider));
let [everyone, ofAlpha, ofBeta] = ['', '', ''];
let world: World;

beforeAll(async () => {
  ({ world, everyone, ofAlpha, ofBeta } = await newWorldWithCallers(service, provider));
});
afterAll(async () => await provider[Symbol.asyncDispose]());

async function nameOf(path: string, token = everyone, headers: Record<string, string> = {}) {
  const answer = await sendAs(service, token, { method: 'GET', path, headers });
  expect(answer.status, answer.text).toBe(200);
  return parse(answer.headers.get('content-disposition') ?? '').parameters.filename;
}

async function describe(subject: string, name: string, graph_id: string) {
  const { json: stored } = await sendAs(service, everyone, {
    method: 'PUT',
    path: '/store/v1/jcs',
    ...json({ name }),
  });
  const statement = ownStatement('MetadataRegistration', { subject, metadata: `urn:cid:${stored.cid}` });
  const body = { statement, generate_id: true, graph_id };
  await sendAs(service, everyone, { method: 'PUT', path: '/statements/v1', ...json(body) });
  return stored.cid as string;
}

test('a blob is named after what it holds, for those who may see that', async () => {
  const { id, blob } = world.alpha;
  const path = `/store/v1/blob/${blob}`;
  const document = await describe(`urn:cid:${blob}`, 'models/../Modell "für"\r\nKredite.bin', id);
  expect(await nameOf(path)).toBe('Modell -für- Kredite.bin');
  expect(await nameOf(path, ofAlpha)).toBe('Modell -für- Kredite.bin');
  expect(await nameOf(path, ofBeta)).toBe(blob);
  expect(await nameOf(`/store/v1/blob/${document}`)).toBe(`${document}.json`);
  expect(await nameOf(`/store/v1/blob/${world.alpha.statement.rdfc_cid}`)).toMatch(/^bagb6qaq6\w+\.nq$/);
  expect(await nameOf(`/report/v1/${blob}`, ofAlpha)).toBe('report-Modell -für- Kredite.bin.html');
});

test('a manifest is named after its graph', async () => {
  const { id } = world.beta;
  const path = `/manifest/v1?graph_ids=${id}`;
  expect(await nameOf(path)).toBe(`project ${id}.json`);
  expect(await nameOf(path, everyone, { accept: 'application/vnd.ipld.car' })).toBe(`project ${id}.car`);
  expect(await nameOf('/manifest/v1')).toBe('cairn-evidence.json');
});
