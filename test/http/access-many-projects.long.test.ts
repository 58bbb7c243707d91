import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, permissions } from '../../src/domain/access/grants.ts';
import { startAuthService } from '../access/auth-service.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { json, type Send, sendAs } from './access-world.ts';
import { useService } from './service.ts';

const namespace = 'https://cairn.example';
const authority = await startAuthService();
const service = useService({
  CAIRN_AUTH_MODE: 'auth_service',
  CAIRN_AUTH_SERVICE_BASE_URL: authority.url,
  CAIRN_CLAIM_NAMESPACE: namespace,
});
const count = 1_005;
const projects = Array.from({ length: count }, () => randomUUID());
const last = projects.at(-1) ?? '';

beforeAll(async () => {
  authority.know('founder', {
    sub: 'founder',
    claims: { [`${namespace}/permissions`]: { '*': permissions } },
  });
  for (const graph_id of projects) {
    const sent: Send = { method: 'PUT', path: '/graph/v1', ...json({ graph_id, name: 'a project' }) };
    expect((await sendAs(service, 'founder', sent)).status).toBe(201);
  }
});
afterAll(async () => await authority[Symbol.asyncDispose]());

/** A new caller with permissions on the last project only. */
function newToken(...granted: Permission[]): string {
  const token = randomUUID();
  authority.know(token, { sub: token, claims: {} });
  const resource = { type: 'project', id: last };
  authority.allow(token, ...granted.map((permission) => ({ permission, resource })));
  return token;
}

const statement = () => ownStatement('DataRegistration', { data: [blobUrn(randomUUID())] });
const put = (graph_id?: string): Send => ({
  method: 'PUT',
  path: '/statements/v1',
  ...json({ statement: statement(), generate_id: true, ...(graph_id && { graph_id }) }),
});
const putBlob = (): Send => ({
  method: 'PUT',
  path: '/store/v1/blob',
  body: randomUUID(),
  headers: { 'content-type': 'application/octet-stream' },
});

/** Repeats a request while the answer is that the search goes on in the next one. Each of them asks little. */
async function persist(token: string, request: Send) {
  for (let requests = 1; ; requests += 1) {
    const before = authority.calls('authorize', token);
    const answer = await sendAs(service, token, request);
    expect(authority.calls('authorize', token) - before).toBeLessThanOrEqual(210);
    if (answer.status !== 503) return answer;
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.json.error).toContain('try again to go on');
    expect(requests).toBeLessThan(20);
  }
}

describe('a caller whose only project is the last of many', () => {
  test.each<[string, () => Send]>([
    ['store a statement into it', () => put(last)],
    [
      'register a DID in it',
      () => ({
        method: 'PUT',
        path: `/statements/v1/create/did/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp?graph_id=${last}`,
      }),
    ],
    [
      'add a child to it',
      () => ({
        method: 'PUT',
        path: '/graph/v1',
        ...json({ graph_id: randomUUID(), name: 'a child', parent_id: last }),
      }),
    ],
    ['export it', () => ({ method: 'GET', path: `/manifest/v1?graph_ids=${last}` })],
    ['list its children', () => ({ method: 'GET', path: `/graph/v1/${last}` })],
    ['search it', () => ({ method: 'GET', path: `/statements/v1?graph_id=${last}` })],
  ])('can %s, and the auth service is asked about that project only', async (_name, request) => {
    const token = newToken('create_declarations', 'view_project_data');
    const answer = await sendAs(service, token, request());
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(authority.calls('authorize', token)).toBeLessThanOrEqual(2);
  });

  test.each<[string, () => Send]>([
    ['a statement without a graph', () => put()],
    ['a blob', putBlob],
  ])('can store %s, and the next one needs no question', async (_name, request) => {
    const token = newToken('create_declarations');
    expect((await persist(token, request())).status).toBeLessThan(300);
    const asked = authority.calls('authorize', token);
    expect((await sendAs(service, token, request())).status).toBeLessThan(300);
    expect(authority.calls('authorize', token)).toBe(asked);
  });

  test('sees it in lists, and exports without graph ids hold it', async () => {
    const token = newToken('view_project_data');
    const list = await sendAs(service, token, { method: 'GET', path: '/graph/v1' });
    expect(list.json.graphs.map(({ graph_id }: { graph_id: string }) => graph_id)).toEqual([last]);
    expect((await sendAs(service, token, { method: 'GET', path: '/manifest/v1' })).status).toBe(200);
  });
});

test('a caller without a permission on any project is refused after one search, a part with each request', async () => {
  const token = newToken();
  const requests = [put(), put(last), putBlob(), { method: 'GET', path: '/manifest/v1' }, put()];
  for (const request of requests) expect((await persist(token, request)).status).toBe(403);
  // Statements and blobs need one of two permissions to write, and another to read.
  expect(authority.calls('authorize', token)).toBeLessThan(3 * count + 10);
  const asked = authority.calls('authorize', token);
  for (const request of requests) expect((await sendAs(service, token, request)).status).toBe(403);
  expect(authority.calls('authorize', token)).toBe(asked);
});
