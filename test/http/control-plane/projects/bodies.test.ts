import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { auditExchanges } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { useProjectPlane } from './project-plane.ts';
import { type Body, seed } from './seeded.ts';

const plane = useProjectPlane(() => ({}));
const base = 'GET /v1/projects/{project_uuid}/agents/{agent_id}/audit-exchanges/{exchange_key}';

async function requestBody(request: Body) {
  const seeded = await seed(plane.store, null, { request });
  return await plane.get(seeded.paths[`${base}/request-body`] ?? '', null);
}

test.each(['text/html; charset=utf-8', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript'])(
  'a browser downloads a body of the type %s and never runs it',
  async (contentType) => {
    const text = '<script>alert(document.cookie)</script>';
    const answer = await requestBody({ text, contentType });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': contentType,
      'content-disposition': expect.stringMatching(/^attachment; filename=exchange-\S+-request/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  },
);

test.each(['text', 'text/html\r\nset-cookie: a=b', 'ä/ö', 'a/b;\u0001', `a/${'b'.repeat(200)}`])(
  'a body of the impossible type %j is sent as bytes',
  async (contentType) => {
    const answer = await requestBody({ text: 'x', contentType });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('set-cookie')).toBeNull();
  },
);

test('attestations and blobs are downloads too', async () => {
  const { paths } = await seed(plane.store);
  for (const read of ['state-cids/{state_cid}/blob', 'state-cids/{state_cid}/blobs/{cid}']) {
    const path = paths[`GET /v1/projects/{project_uuid}/agents/{agent_id}/${read}`] ?? '';
    const { headers } = await plane.get(path, null);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=/);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox/);
  }
});

test('a large body arrives whole', async () => {
  const text = randomUUID().repeat(20_000);
  const answer = await requestBody({ text, contentType: 'text/plain' });
  expect(answer.headers.get('content-length')).toBe(String(text.length));
  expect(answer.text).toBe(text);
});

test('an empty body is empty, and a missing one is not found', async () => {
  const answer = await requestBody({ text: '', contentType: 'text/plain' });
  expect([answer.status, answer.text]).toEqual([200, '']);
  const { paths, exchange } = await seed(plane.store);
  await plane.store.of(auditExchanges).update(exchange.exchangeKey, {}, { responseBody: null });
  const missing = await plane.get(paths[`${base}/response-body`] ?? '', null);
  expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
});

test('bytes that differ from their CID are not sent', async () => {
  const { paths, exchange } = await seed(plane.store);
  const { requestBody, responseBody } = exchange;
  if (!requestBody || !responseBody) throw new Error('There are no bodies.');
  const swapped = { ...responseBody, cid: requestBody.cid };
  await plane.store.of(auditExchanges).update(exchange.exchangeKey, {}, { responseBody: swapped });
  const answer = await plane.get(paths[`${base}/response-body`] ?? '', null);
  expect([answer.status, answer.json.code]).toEqual([500, 'damaged']);
});
