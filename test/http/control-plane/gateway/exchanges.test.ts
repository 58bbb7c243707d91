import { expect, test } from 'vitest';
import { auditExchanges } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../../../src/domain/control-plane/gateway/sealed-contents.ts';
import { useGateway } from './gateway.ts';
import { base64, body, exchange, project } from './samples.ts';

const gateway = useGateway();
const stored = (key: string) => gateway.store.of(auditExchanges).get(key);

test('exchanges are kept with their bodies, in the order in which they were sent', async () => {
  const agent = await gateway.agent();
  const full = exchange(agent, {
    project_urn: project.toUpperCase().replace('URN:UUID', 'urn:uuid'),
    candidate_project_urn: project,
    duration_ms: 12.5,
    outcome: 'denied',
    model: 'model-1',
    correlation_id: 'trace-1',
    request_body: body('{"prompt": "ä"}'),
    response_body: body('', 'text/plain; charset=utf-8'),
  });
  const bare = exchange(agent, { outcome: 'error' });
  const { status, json } = await gateway.send('audit-exchanges', [full, bare]);
  expect(status).toBe(200);
  expect(json.results.map(({ source_id }: { source_id: string }) => source_id)).toEqual([
    full.source_id,
    bare.source_id,
  ]);
  const [one, other] = json.results.map(({ exchange_key }: { exchange_key: string }) => exchange_key);
  expect(one < other).toBe(true);
  expect(await stored(one)).toMatchObject({
    agentId: agent,
    projectUrn: project,
    candidateProjectUrn: project,
    occurredAt: Date.parse('2026-02-01T12:00:00.250Z'),
    durationMs: 12.5,
    outcome: 'denied',
    model: 'model-1',
    correlationId: 'trace-1',
    requestBody: { contentType: 'application/json', size: 16 },
    responseBody: { contentType: 'text/plain; charset=utf-8', size: 0 },
  });
  expect(await stored(other)).toMatchObject({ projectUrn: null, requestBody: null, pack: null });
  const { requestBody, responseBody } = (await stored(one)) ?? expect.fail();
  const { sealedContents } = gateway.store;
  expect(String(requestBody && (await readSealed(sealedContents, requestBody)))).toBe('{"prompt": "ä"}');
  expect(String(responseBody && (await readSealed(sealedContents, responseBody)))).toBe('');
});

test('a repeat is answered the same and stores nothing', async () => {
  const agent = await gateway.agent();
  const records = [exchange(agent, { request_body: body('{}') }), exchange(agent)];
  const first = await gateway.send('audit-exchanges', records);
  const packs = await Array.fromAsync(gateway.store.sealedContents.names());
  const again = await gateway.send('audit-exchanges', [...records, ...records.toReversed()]);
  expect(again.json.results).toEqual([...first.json.results, ...first.json.results.toReversed()]);
  expect(await Array.fromAsync(gateway.store.sealedContents.names())).toEqual(packs);
});

test('a known source_id with other content is a conflict, and nothing of its batch is stored', async () => {
  const agent = await gateway.agent();
  const one = exchange(agent, { request_body: body('{}') });
  const { json } = await gateway.send('audit-exchanges', [one]);
  const fresh = exchange(agent);
  for (const change of [{ outcome: 'error' }, { request_body: body('{ }') }, { model: 'x' }]) {
    const refused = await gateway.send('audit-exchanges', [fresh, { ...one, ...change }]);
    expect(refused).toMatchObject({
      status: 409,
      json: {
        code: 'conflict',
        details: [
          { index: 1, pointer: '/records/1/source_id', reason: expect.stringContaining(one.source_id) },
        ],
      },
    });
  }
  const twice = await gateway.send('audit-exchanges', [fresh, { ...fresh, outcome: 'error' }]);
  expect(twice).toMatchObject({ status: 409, json: { details: [{ index: 1 }] } });
  expect((await gateway.send('audit-exchanges', [one])).json).toEqual(json);
  expect(await gateway.store.of(auditExchanges).among('bySource', [fresh.source_id], 1)).toEqual([[]]);
});

test('a batch with one bad record among 1,000 is refused as a whole and names it', async () => {
  const agent = await gateway.agent();
  const records = Array.from({ length: 1_000 }, () => exchange(agent));
  const bad = records.with(733, exchange(agent, { outcome: 'perhaps' }));
  expect(await gateway.send('audit-exchanges', bad)).toMatchObject({
    status: 400,
    json: {
      code: 'invalid_request',
      error: expect.stringContaining('1 record is not accepted, so nothing was stored.'),
      details: [
        { index: 733, pointer: '/records/733/outcome', reason: 'must be "ok" or "error" or "denied"' },
      ],
    },
  });
  const ids = records.map(({ source_id }) => source_id);
  expect((await gateway.store.of(auditExchanges).among('bySource', ids, 1)).flat()).toEqual([]);
  expect((await gateway.send('audit-exchanges', records)).json.results).toHaveLength(1_000);
});

test('all bad records of a batch are listed, however many', async () => {
  const agent = await gateway.agent();
  const records = Array.from({ length: 1_000 }, () => exchange(agent, { model: '' }));
  const { status, json } = await gateway.send('audit-exchanges', records);
  expect(status).toBe(400);
  expect(json.details.map(({ index }: { index: number }) => index)).toEqual([...records.keys()]);
});

const large = base64(Buffer.alloc((8 << 20) + 1));

test.each([
  [
    'a control character in its id',
    { source_id: 'a\u0007' },
    '/source_id',
    'must not have control characters',
  ],
  ['an empty id', { source_id: '' }, '/source_id', 'at least 1 character'],
  ['an over-long id', { source_id: 'x'.repeat(201) }, '/source_id', 'at most 200 characters'],
  ['an over-long model', { model: 'x'.repeat(201) }, '/model', 'at most 200 characters'],
  ['a control character in its correlation id', { correlation_id: '\n' }, '/correlation_id', 'control'],
  ['an impossible time', { occurred_at: '2026-02-30T00:00:00Z' }, '/occurred_at', 'RFC 3339'],
  ['a local time', { occurred_at: '2026-02-01T12:00:00' }, '/occurred_at', 'RFC 3339'],
  ['a negative duration', { duration_ms: -1 }, '/duration_ms', 'at least 0'],
  ['another URN as its project', { project_urn: 'urn:cid:x' }, '/project_urn', 'urn:uuid:'],
  ['a bare UUID as its project', { project_urn: project.slice(9) }, '/project_urn', 'urn:uuid:'],
  ['an unknown member', { exchange_key: 'mine' }, '', 'unknown members: "exchange_key"'],
  ['a body without base64', { request_body: { content_type: 'a/b' } }, '/request_body/base64', 'is missing'],
  [
    'a body with a line break in its base64',
    { request_body: { content_type: 'a/b', base64: 'e3\n0=' } },
    '/request_body/base64',
    'not canonical',
  ],
  [
    'a body with a header as its type',
    { response_body: { content_type: 'a/b\r\nx: y', base64: '' } },
    '/response_body/content_type',
    'must be a media type',
  ],
])('an exchange with %s is refused', async (_, members, pointer, reason) => {
  const agent = await gateway.agent();
  const { status, json } = await gateway.send('audit-exchanges', [exchange(agent), exchange(agent, members)]);
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(json.details).toEqual([
    {
      code: 'invalid_request',
      index: 1,
      pointer: `/records/1${pointer}`,
      reason: expect.stringContaining(reason),
    },
  ]);
});

test('a body over 8 MiB is refused, and one of 8 MiB is kept', async () => {
  const agent = await gateway.agent();
  const sized = (text: string) => exchange(agent, { response_body: { content_type: 'a/b', base64: text } });
  expect(await gateway.send('audit-exchanges', [sized(large)])).toMatchObject({
    status: 413,
    json: { code: 'too_large', details: [{ index: 0, pointer: '/records/0/response_body/base64' }] },
  });
  const kept = await gateway.send('audit-exchanges', [sized(base64(Buffer.alloc(8 << 20, 'x')))]);
  expect(kept.status).toBe(200);
  const { responseBody } = (await stored(kept.json.results[0].exchange_key)) ?? expect.fail();
  expect(responseBody?.size).toBe(8 << 20);
});

test('a request over the limit of JSON bodies is refused', async () => {
  const text = JSON.stringify({ records: [exchange(await gateway.agent())], more: 'x'.repeat(32 << 20) });
  const { status, json } = await gateway.send('audit-exchanges', text);
  expect(status).toBe(413);
  expect(json.error).toContain('CAIRN_MAX_JSON_BYTES');
});

test.each([
  ['more than 1,000 records', { records: Array(1_001).fill({}) }, 400, 'at most 1000 items'],
  ['no records', { records: [] }, 400, 'at least 1 item'],
  ['no list', { records: {} }, 400, 'must be a list'],
  ['a member beside the records', { records: [{}], more: 1 }, 400, 'unknown members'],
  ['records that are texts', { records: ['a'] }, 400, 'must be an object'],
])('a body with %s is refused', async (_, sent, status, error) => {
  const answer = await gateway.send('audit-exchanges', JSON.stringify(sent));
  expect(answer).toMatchObject({ status, json: { error: expect.stringContaining(error) } });
});

test.each([
  ['{"records": [{"source_id": "a", "source_id": "b"}]}', 'repeated'],
  ['{"records": [{"duration_ms": 1e999}]}', 'out of range'],
  ['{"records": [', 'not valid JSON'],
])('the body %s is refused as JSON', async (text, error) => {
  const answer = await gateway.send('audit-exchanges', text);
  expect(answer).toMatchObject({
    status: 400,
    json: { code: 'invalid_json', error: expect.stringContaining(error) },
  });
});
