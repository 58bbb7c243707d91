import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProvider } from '../access/provider.ts';
import { dataOf, json, newWorldWithCallers, oidcSettings, sendAs, type World } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService({ ...oidcSettings(provider), CAIRN_BLOB_SCOPE: 'project' });
/** More than one page of an answer looks at. */
const batches = 6;
const registeredBy = 'did:web:builder.example';
let world: World;
let reader: string;
let stranger: string;

beforeAll(async () => {
  ({ world, ofAlpha: reader, ofBeta: stranger } = await newWorldWithCallers(service, provider));
  for (let batch = 0; batch < batches; batch += 1) {
    const statements = Array.from({ length: 1_000 }, () => ({ ...dataOf(randomUUID()), registeredBy }));
    const body = { statements, generate_id: true, graph_id: world.alpha.id };
    const put = { method: 'PUT', path: '/statements/v1/batch', ...json(body) };
    expect((await sendAs(service, reader, put)).status).toBe(201);
  }
});
afterAll(async () => await provider[Symbol.asyncDispose]());

test('a search does not find somebody of whom only statements of other projects speak, however many', async () => {
  const people = async (token: string) => {
    const path = `/search/v1?q=${encodeURIComponent(registeredBy)}`;
    return (await sendAs(service, token, { method: 'GET', path })).json.people.items;
  };
  expect(await people(reader)).toMatchObject([{ id: registeredBy }]);
  expect(await people(stranger)).toEqual([]);
});
