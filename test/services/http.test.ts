import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { blobUrn, did, ownStatement, statement } from '../builders/statements.ts';
import { usersOf } from '../contract/nouns.ts';
import { hybrid, usePlane } from '../http/control-plane/plane.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from '../http/manifest-samples.ts';
import { answerOf, putBlob, send } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo } from '../storage/mongo/database.ts';

// The suites of test/http run on the embedded store. This walks each resource once on MongoDB and Redis.

async function openService() {
  const opened = new AsyncDisposableStack();
  onTestFinished(() => opened.disposeAsync());
  const { environment } = opened.use(await newServiceStore('mongodb'));
  const settings = readSettings({ ...environment, CAIRN_WORKERS: '1' });
  return opened.use(await openIntegrity(settings, pino({ level: 'silent' })));
}

describeMongo('the integrity service on MongoDB', () => {
  test('stores blobs and reads them whole and in ranges', async () => {
    const service = await openService();
    const { json } = await putBlob(service, '0123456789');
    const path = `/store/v1/blob/${json.cid}`;
    expect((await send(service, 'GET', path)).text).toBe('0123456789');
    const part = await send(service, 'GET', path, undefined, { range: 'bytes=2-4' });
    expect([part.status, part.text]).toEqual([206, '234']);
    expect((await send(service, 'GET', `/store/v1/exists/${json.cid}`)).json).toMatchObject({ exists: true });
    const unknown = cidOf(codecs.raw, 'unknown').text;
    expect((await send(service, 'GET', `/store/v1/blob/${unknown}`)).status).toBe(404);
    const jcs = await send(service, 'PUT', '/store/v1/jcs', { b: 1, a: [2] });
    expect((await send(service, 'GET', `/store/v1/blob/${jcs.json.cid}`)).text).toBe('{"a":[2],"b":1}');
  });

  test('stores statements in graphs, and finds them by id, search, reference and lineage', async () => {
    const service = await openService();
    const get = async (path: string) => (await send(service, 'GET', path)).json;
    const graph = await newGraph(service);
    const [first = '', second = ''] = await putStatements(service, graph, [
      statement('ComputationRegistration', { input: blobUrn('raw'), output: blobUrn('model') }),
      ownStatement('DataRegistration', { data: blobUrn('raw') }),
    ]);
    expect((await get('/graph/v1')).graphs).toMatchObject([{ graph_id: graph, statements: 2 }]);
    expect((await get(`/statements/v1/id/${first}`))['@id']).toBe(first);
    const ids = ({ statements }: { statements: { statement: Record<string, string> }[] }) =>
      statements.map(({ statement }) => statement['@id']);
    expect(ids(await get('/statements/v1?type=DataRegistration'))).toEqual([second]);
    const page = await get(`/statements/v1?graph_id=${graph}&limit=1`);
    const rest = await get(`/statements/v1?graph_id=${graph}&limit=1&cursor=${page.next_cursor}`);
    expect([...ids(page), ...ids(rest)].toSorted()).toEqual([first, second].toSorted());
    const found = await get(`/cid/v1/find/${blobUrn('raw')}`);
    expect(found.statements.map(({ role }: { role: string }) => role).toSorted()).toEqual(['data', 'input']);
    const { nodes } = await get(`/lineage/v1/${blobUrn('model')}?direction=upstream`);
    expect(nodes.map(({ id }: { id: string }) => id)).toContain(blobUrn('raw'));
  });

  test('exports graphs, at once and by a job, and imports them', async () => {
    const service = await openService();
    await putBlob(service, 'carried');
    const graph = await newGraph(service);
    await putStatements(service, graph, [ownStatement('DataRegistration', { data: blobUrn('carried') })]);
    const query = `graph_ids=${graph}&${everything}`;
    const bytes = await exportBytes(service, query);
    const begun = await send(service, 'GET', `/manifest/v1?${query}`, undefined, { prefer: 'respond-async' });
    const location = String(begun.headers.get('location'));
    await expect.poll(async () => (await send(service, 'GET', location)).json.state).toBe('done');
    expect((await send(service, 'GET', `${location}/result`)).text).toBe(bytes.toString());
    expect((await send(service, 'DELETE', location)).status).toBe(204);
    const other = await openService();
    const id = randomUUID();
    const car = await exportBytes(service, query, carType);
    const imported = await importBytes(other, car, `graph_id=${id}`, carType);
    expect(imported.json).toMatchObject({ statements: { stored: 1 }, blobs: { stored: 1 } });
    expect(await exportBytes(other, `graph_ids=${id}&${everything}`)).toEqual(bytes);
  });

  test('changes its limits, and computes without storing', async () => {
    const service = await openService();
    const limits = { blob_store_fetch_concurrency_limit: 5, blob_store_write_concurrency_limit: 7 };
    await send(service, 'PUT', '/dynamic-config/v1', limits);
    expect((await send(service, 'GET', '/dynamic-config/v1')).json).toEqual(limits);
    const computed = await send(service, 'POST', '/utils/v1/integrity/statement/compute-id', {
      statement: ownStatement('DidRegistration', { did }),
    });
    expect(computed.json.id).toMatch(/^urn:cid:/);
    expect((await send(service, 'GET', `/statements/v1/id/${computed.json.id}`)).status).toBe(404);
    expect((await answerOf(await service.app.request('/health/v1'))).status).toBe(200);
  });
});

describeMongo('the control plane on MongoDB', () => {
  const plane = usePlane(hybrid, 'mongodb');

  test('signs users in for all processes, changes and disables them, and records it', async () => {
    const other = await plane.replica();
    plane.provider.setAccount('ada', { email: 'ada@example.com', email_verified: true });
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const me = await other.send('GET', '/v1/me', browser.headers('GET'));
    expect(me.json).toMatchObject({ subject: 'ada', role: 'member', means: 'session' });
    const ada = (await usersOf(plane.store).bySubject(plane.provider.issuer, 'ada')) ?? expect.fail();
    await usersOf(plane.store).change(ada.id, { role: 'admin' }, Date.now());

    plane.provider.setAccount('bob', { email: 'bob@example.com', email_verified: true });
    const bobs = plane.main.browser();
    await bobs.signIn('bob');
    const listed = await other.send('GET', '/v1/users?limit=1', browser.headers('GET'));
    const rest = await other.send(
      'GET',
      `/v1/users?limit=9&cursor=${listed.json.next_cursor}`,
      browser.headers('GET'),
    );
    const users = [...listed.json.users, ...rest.json.users];
    const bob =
      users.find(({ email }) => email === 'bob@example.com') ?? expect.fail(listed.text + rest.text);
    const change = { disabled: true };
    const changed = await other.send('PATCH', `/v1/users/${bob.id}`, browser.headers('PATCH'), change);
    expect([changed.status, changed.json]).toMatchObject([200, { disabled: true }]);
    expect((await plane.main.send('GET', '/v1/me', bobs.headers('GET'))).status).toBe(401);

    const action = encodeURIComponent('PATCH /v1/users/{id}');
    const log = await plane.main.send('GET', `/v1/audit-log?action=${action}`, browser.headers('GET'));
    expect(log.json.records, log.text).toMatchObject([{ target: bob.id, outcome: 'done' }]);
    expect((await other.send('POST', '/v1/auth/logout', browser.headers('POST'))).status).toBe(204);
    expect((await plane.main.send('GET', '/v1/me', browser.headers('GET'))).status).toBe(401);
  });
});
