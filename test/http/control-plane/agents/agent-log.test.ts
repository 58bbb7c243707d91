import { beforeAll, expect, test } from 'vitest';
import { loggedKinds } from '../../../../src/domain/collections/logged.ts';
import { appendNew } from '../../../../src/domain/log/appending/appender.ts';
import { unloggedRecords } from '../../../../src/domain/log/appending/unlogged-records.ts';
import { logRecords } from '../../../../src/domain/log/records.ts';
import { usersOf } from '../../../contract/nouns.ts';
import { type Browser, bearer, usePlane } from '../plane.ts';
import { mint, newAgentKey, register } from './registering.ts';

const plane = usePlane();
let admin: Browser;

beforeAll(async () => {
  admin = plane.main.browser();
  await admin.signIn('root');
  const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'root');
  await usersOf(plane.store).change(user?.id ?? '', { role: 'admin' }, Date.now());
});

test('who may not see an agent does not see its log, nor whether there is one', async () => {
  const idToken = await plane.provider.idToken({ claims: { sub: 'owner' } });
  const { registration_token } = await mint(plane.main, idToken);
  const { agent_id } = (await register(plane.main, registration_token, newAgentKey())).json;
  const { store } = plane;
  const unlogged = [unloggedRecords(store, loggedKinds, store.now)];
  await appendNew({ records: logRecords(store), unlogged, now: store.now });
  const path = `/log/v1/agents/${agent_id}/name`;
  const as = async (sub: string) => bearer(await plane.provider.idToken({ claims: { sub } }));
  const name = { name: `agents/${agent_id}` };
  expect((await plane.main.send('GET', path, await as('owner'))).json).toMatchObject(name);
  expect((await plane.main.send('GET', path, admin.headers('GET'))).json).toMatchObject(name);
  const unseen = await plane.main.send('GET', path, await as('stranger'));
  const missing = await plane.main.send('GET', '/log/v1/agents/nobody/name', await as('stranger'));
  const withoutNames = ({ json }: typeof unseen) =>
    JSON.stringify({ ...json, request_id: '' }).replaceAll(agent_id, 'nobody');
  expect([unseen.status, withoutNames(unseen)]).toEqual([404, withoutNames(missing)]);
  expect((await plane.main.send('GET', path)).status).toBe(401);
  for (const part of ['checkpoint', 'key', 'tile/0/000.p/1'])
    expect(
      (await plane.main.send('GET', `/log/v1/agents/${agent_id}/${part}`, await as('stranger'))).status,
    ).toBe(404);
});
