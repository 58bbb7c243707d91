import { describe, expect, test } from 'vitest';
import { pluginEvents, stateRecords } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { useGateway } from './gateway.ts';
import { event, exchange, project, state } from './samples.ts';

const gateway = useGateway();

describe.each([
  ['plugin-events', event, pluginEvents],
  ['state-records', state, stateRecords],
] as const)('%s', (scope, record, collection) => {
  async function storedOf(sourceId: string) {
    const [found] = await gateway.store
      .of(collection as typeof pluginEvents)
      .among('bySource', [sourceId], 1);
    return found?.[0];
  }

  async function keptExchange(agent: string, members = {}): Promise<{ key: string; id: string }> {
    const one = exchange(agent, { project_urn: project, ...members });
    const { json } = await gateway.send('audit-exchanges', [one]);
    return { key: json.results[0].exchange_key, id: one.source_id };
  }

  test('join their exchange by its key or by its source_id', async () => {
    const agent = await gateway.agent();
    const { key, id } = await keptExchange(agent);
    const sent = [record(agent, { exchange_key: key }), record(agent, { exchange_source_id: id })];
    expect((await gateway.send(scope, sent)).status).toBe(200);
    for (const { source_id } of sent)
      expect(await storedOf(source_id)).toMatchObject({
        exchangeKey: key,
        projectUrn: project,
        agentId: agent,
      });
  });

  test('may arrive before their exchange, any number of them', async () => {
    const agent = await gateway.agent();
    const id = crypto.randomUUID();
    const sent = Array.from({ length: 250 }, () => record(agent, { exchange_source_id: id }));
    expect((await gateway.send(scope, sent)).status).toBe(200);
    expect(await storedOf(sent[0]?.source_id ?? '')).toMatchObject({ exchangeKey: null, projectUrn: null });
    const { key } = await keptExchange(agent, { source_id: id });
    for (const { source_id } of sent)
      expect(await storedOf(source_id)).toMatchObject({ exchangeKey: key, projectUrn: project });
  });

  test('never join the exchange of another agent', async () => {
    const [agent, other] = [await gateway.agent(), await gateway.agent()];
    const id = crypto.randomUUID();
    const [early, late] = [
      record(agent, { exchange_source_id: id }),
      record(agent, { exchange_source_id: id }),
    ];
    await gateway.send(scope, [early]);
    const { key } = await keptExchange(other, { source_id: id });
    await gateway.send(scope, [late]);
    for (const { source_id } of [early, late])
      expect(await storedOf(source_id)).toMatchObject({ exchangeKey: null, projectUrn: null });
    const reason = `the agent "${agent}" has no exchange "${key}"`;
    expect(await gateway.send(scope, [late, record(agent, { exchange_key: key })])).toMatchObject({
      status: 400,
      json: { details: [{ index: 1, pointer: '/records/1/exchange_key', reason }] },
    });
  });

  test.each([
    ['no exchange', { exchange_source_id: null }],
    ['two exchanges', { exchange_source_id: 'a', exchange_key: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' }],
  ])('are refused if they name %s', async (_, members) => {
    expect(await gateway.send(scope, [record(await gateway.agent(), members)])).toMatchObject({
      status: 400,
      json: { details: [{ index: 0, reason: expect.stringContaining('must name its exchange') }] },
    });
  });

  test('keep their first content', async () => {
    const agent = await gateway.agent();
    const one = record(agent);
    const first = await gateway.send(scope, [one]);
    expect((await gateway.send(scope, [one, one])).json.results).toEqual([
      ...first.json.results,
      ...first.json.results,
    ]);
    const other = { ...one, occurred_at: '2026-02-02T00:00:00Z' };
    expect((await gateway.send(scope, [other])).status).toBe(409);
  });
});

test('the detail of an event is kept whatever its member names are', async () => {
  const agent = await gateway.agent();
  const detail = { $set: { 'a.b': null }, ['__proto__']: 1, '': [1, -0.5, 1e300], 'c\u0000': 'ä' };
  const one = event(agent, { detail });
  await gateway.send('plugin-events', [one]);
  const [found] = await gateway.store.of(pluginEvents).among('bySource', [one.source_id], 1);
  expect(JSON.parse(found?.[0]?.detail ?? '')).toEqual(detail);
  const reordered = { ...one, detail: Object.fromEntries(Object.entries(detail).toReversed()) };
  expect((await gateway.send('plugin-events', [reordered])).status).toBe(200);
});

test('an event with a number that JSON cannot hold is refused with its place', async () => {
  const text = JSON.stringify({ records: [event(await gateway.agent(), { detail: { n: 1 } })] });
  const sent = text.replace('"n":1', '"n":12345678901234567890');
  expect(await gateway.send('plugin-events', sent)).toMatchObject({
    status: 400,
    json: { code: 'invalid_json', details: [{ pointer: '/records/0/detail/n' }] },
  });
});

test.each([
  ['a detail over 64 KiB', { detail: { text: 'x'.repeat(65_536) } }, 413, 'too_large'],
  ['a detail that is a list', { detail: [] }, 400, 'invalid_request'],
  ['a control character in its kind', { kind: 'a\u009f' }, 400, 'invalid_request'],
  ['an over-long kind', { kind: 'x'.repeat(101) }, 400, 'invalid_request'],
])('an event with %s is refused', async (_, members, status, code) => {
  const sent = [event(await gateway.agent(), members)];
  expect(await gateway.send('plugin-events', sent)).toMatchObject({ status, json: { code } });
});
