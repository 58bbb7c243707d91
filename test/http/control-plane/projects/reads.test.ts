import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectMemberships } from '../../../../src/domain/control-plane/gateway/project-records.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { cidOf, codecs } from '../../../../src/domain/integrity/identifiers/cid.ts';
import { exchange, pluginEvent, stateRecord, urnOf } from '../../../builders/runtime-records.ts';
import { useProjectPlane } from './project-plane.ts';
import { noon, projectReads, runtimeReads, type Seeded, seed, subjectDid } from './seeded.ts';

const plane = useProjectPlane(() => ({}));
let seeded: Seeded;
let base: string;
beforeAll(async () => {
  seeded = await seed(plane.store);
  base = `/v1/projects/${seeded.project}/agents/${seeded.agentId}`;
});

const get = async (path: string) => await plane.get(path, null);
/** The members that every record of the agent in the project has. */
const belonging = () => ({
  project_urn: urnOf(seeded.project),
  agent_id: seeded.agentId,
  exchange_key: seeded.exchange.exchangeKey,
});
const minutes = (count: number) => new Date(noon + count * 60_000).toISOString();

describe('answers', () => {
  test('the agents of a project', async () => {
    const { json } = await get(`/v1/projects/${seeded.project.toUpperCase()}/agents`);
    expect(json).toEqual({
      agents: [
        {
          agent_id: seeded.agentId,
          name: `Agent ${seeded.agentId}`,
          handle: null,
          state: 'active',
          subject_dids: [subjectDid],
        },
      ],
    });
  });

  test('an agent, without keys and identities of other projects', async () => {
    const answer = await get(base);
    const [added_at, valid_from] = [minutes(0), minutes(0)];
    expect(answer.json).toMatchObject({
      agent_id: seeded.agentId,
      identities: [
        {
          subject_did: subjectDid,
          memberships: [{ valid_from, valid_until: null, credential_id: null, status: null }],
          keys: [{ did: subjectDid, added_at, retired_at: null }],
        },
      ],
    });
    expect(answer.text).not.toContain('of-another-project');
  });

  test('an exchange, in the list and alone', async () => {
    const one = {
      ...belonging(),
      occurred_at: minutes(0),
      duration_ms: 12,
      outcome: 'ok',
      model: 'small',
      input_tokens: null,
      output_tokens: null,
      correlation_id: null,
      request_body: { content_type: 'application/json', size: 18 },
      response_body: { content_type: 'application/json', size: 13 },
    };
    expect((await get(`${base}/audit-exchanges`)).json).toEqual({ audit_exchanges: [one] });
    expect((await get(`${base}/audit-exchanges/${one.exchange_key}`)).json).toEqual(one);
  });

  test('a plugin event and a state', async () => {
    const shared = { ...belonging(), occurred_at: minutes(0) };
    expect((await get(`${base}/plugin-events`)).json).toEqual({
      plugin_events: [{ id: expect.any(String), kind: 'tool_call', detail: { tool: 'search' }, ...shared }],
    });
    expect((await get(`${base}/state-cids`)).json).toEqual({
      states: [{ state_cid: seeded.stateCid, children: [seeded.childCid], ...shared }],
    });
  });

  test('bodies, the attestation and the blob that it references', async () => {
    const key = seeded.exchange.exchangeKey;
    expect((await get(`${base}/audit-exchanges/${key}/request-body`)).text).toBe('{"question":"why"}');
    expect((await get(`${base}/audit-exchanges/${key}/response-body`)).json).toEqual({ answer: 42 });
    const state = `${base}/state-cids/urn:cid:${seeded.stateCid}`;
    expect((await get(`${state}/blob`)).json).toEqual({ state: seeded.project });
    expect((await get(`${state}/blobs/${seeded.childCid}`)).text).toBe(`memory of ${seeded.project}`);
    expect((await get(`${state}/blobs/${seeded.stateCid}`)).status).toBe(404);
  });

  test('the time series of the first day that can be written starts there', async () => {
    const { json } = await get(`${base}/audit-exchanges/timeseries?to=0000-01-01T02:00:00Z`);
    const starts = json.buckets.map(({ start }: { start: string }) => start);
    expect(starts).toEqual(['0000-01-01T00:00:00.000Z', '0000-01-01T01:00:00.000Z']);
  });

  test.each(['audit-exchanges', 'plugin-events', 'state-cids', 'audit-exchanges/timeseries'])(
    'the range of %s has the same two names, and two others for each',
    async (path) => {
      const [start, end] = [minutes(0), minutes(1)];
      const ranged = (from: string, to: string) => get(`${base}/${path}?${from}=${start}&${to}=${end}`);
      const one = await ranged('after', 'before');
      expect(one.status).toBe(200);
      expect(await ranged('from', 'to')).toMatchObject({ status: 200, json: one.json });
      expect((await get(`${base}/${path}?before=${start}&to=${end}`)).json.error).toBe(
        '"before" and "to" mean the same. Give one of them.',
      );
    },
  );

  test('the time series, with empty buckets', async () => {
    const range = `from=${minutes(-1)}&to=${minutes(2)}`;
    const { json } = await get(`${base}/audit-exchanges/timeseries?interval=minute&${range}`);
    const zero = { count: 0, errors: 0, denied: 0, p50_ms: null, p99_ms: null };
    expect(json).toEqual({
      buckets: [
        { start: minutes(-1), ...zero },
        { start: minutes(0), ...zero, count: 1, p50_ms: 12, p99_ms: 12 },
        { start: minutes(1), ...zero },
      ],
    });
  });

  test.each(runtimeReads)('%s is the same for the DID of the membership', async (operation) => {
    const path = seeded.paths[operation] ?? '';
    const byDid = path.replace(seeded.agentId, encodeURIComponent(subjectDid));
    const [one, other] = [await get(path), await get(byDid)];
    expect([other.status, other.text]).toEqual([200, one.text]);
  });

  test.each(['expired', 'revoked', 'invalid'])('history stays readable on %s evidence', async (status) => {
    const old = await seed(plane.store);
    const page = await plane.store
      .of(projectMemberships)
      .page('byProject', [old.project], { after: null, limit: 1 });
    const sourceId = page.records[0]?.sourceId ?? '';
    await plane.store.of(projectMemberships).update(sourceId, {}, { status, validUntil: 1 });
    for (const operation of projectReads) expect((await get(old.paths[operation] ?? '')).status).toBe(200);
  });

  test('without evidence in the project, every read of the agent is 404', async () => {
    const other = await seed(plane.store);
    for (const operation of projectReads.slice(1)) {
      const path = (other.paths[operation] ?? '').replace(other.agentId, seeded.agentId);
      expect((await get(path)).json).toMatchObject({ code: 'not_found' });
    }
  });
});

describe('lists', () => {
  const [project, agentId] = [randomUUID(), `agent-${randomUUID()}`];
  const list = `/v1/projects/${project}/agents/${agentId}`;
  beforeAll(async () => {
    const seededHere = await seed(plane.store);
    const membershipOf = { projectUuid: project, agentId: seededHere.agentId };
    const rows = Array.from({ length: 12 }, (_, at) =>
      exchange({
        agentId: seededHere.agentId,
        projectUrn: urnOf(project),
        occurredAt: noon + at * 60_000,
        outcome: at % 3 === 0 ? 'error' : 'ok',
        model: at % 2 === 0 ? 'large' : 'small',
      }),
    );
    await plane.store.of(auditExchanges).insert(rows);
    await plane.store.of(pluginEvents).insert(rows.map((row) => pluginEvent(row)));
    await plane.store.of(stateRecords).insert(rows.map((row) => stateRecord(row, seededHere.stateCid)));
    const [one] = (
      await plane.store
        .of(projectMemberships)
        .page('byProject', [seededHere.project], { after: null, limit: 1 })
    ).records;
    if (!one) throw new Error('There is no membership.');
    // The path names the agent by this DID.
    const more = [`${agentId}-second`, agentId].map((subjectDid) => ({
      ...one,
      ...membershipOf,
      sourceId: randomUUID(),
      subjectDid,
    }));
    await plane.store.of(projectMemberships).insert(more);
  });

  async function all(query: string, read = 'audit-exchanges', member = 'audit_exchanges') {
    const found: Record<string, string>[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path = `${list}/${read}?limit=5&${query}${cursor && `&cursor=${cursor}`}`;
      const { json } = await get(path);
      found.push(...json[member]);
      cursor = json.next_cursor;
    }
    return found;
  }

  const reads = [
    ['audit-exchanges', 'audit_exchanges'],
    ['plugin-events', 'plugin_events'],
    ['state-cids', 'states'],
  ] as const;

  test('are read page by page, in the order of time, from either end', async () => {
    const times = Array.from({ length: 12 }, (_, at) => minutes(at));
    for (const [read, member] of reads) {
      expect((await all('order=asc', read, member)).map((row) => row.occurred_at)).toEqual(times);
      const latest = (await all('order=desc', read, member)).map((row) => row.occurred_at);
      expect(latest).toEqual(times.toReversed());
    }
  });

  test('end a page at a number of bytes, and lose no record', async () => {
    const one = await seed(plane.store);
    const children = Array.from({ length: 4_000 }, (_, at) => cidOf(codecs.raw, String(at)).text);
    const detail = JSON.stringify({ text: 'ä'.repeat(60_000) });
    await plane.store
      .of(stateRecords)
      .insert(Array.from({ length: 30 }, () => stateRecord(one.exchange, one.stateCid, { children })));
    await plane.store
      .of(pluginEvents)
      .insert(Array.from({ length: 100 }, () => pluginEvent(one.exchange, { detail })));
    const place = `/v1/projects/urn:uuid:${one.project}/agents/${one.agentId}`;
    for (const [read, member, count] of [
      ['plugin-events', 'plugin_events', 101],
      ['state-cids', 'states', 31],
    ] as const) {
      let found = 0;
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { json, text } = await get(`${place}/${read}?limit=1000${cursor && `&cursor=${cursor}`}`);
        expect(Buffer.byteLength(text)).toBeLessThan(3 << 20);
        found += json[member].length;
        cursor = json.next_cursor;
      }
      expect(found).toBe(count);
    }
  });

  test('are narrowed by time, outcome and model', async () => {
    const range = `after=${minutes(2)}&before=${minutes(9)}`;
    expect((await all(range)).map((row) => row.occurred_at)).toEqual([2, 3, 4, 5, 6, 7, 8].map(minutes));
    expect((await all(`${range}&outcome=error`)).map((row) => row.occurred_at)).toEqual([3, 6].map(minutes));
    expect(await all('outcome=error&model=large')).toHaveLength(2);
    expect(await all('outcome=denied')).toEqual([]);
    const events = await all(range, 'plugin-events', 'plugin_events');
    expect(events).toHaveLength(7);
  });

  test('refuse the cursors of other lists, filters and agents', async () => {
    const lists = ['audit-exchanges', 'plugin-events', 'state-cids'].map((read) => `${list}/${read}`);
    const paths = [...lists, `${lists[0]}?outcome=ok`, `${lists[1]}?order=desc`];
    for (const path of paths) {
      const mark = path.includes('?') ? '&' : '?';
      const { next_cursor: cursor } = (await get(`${path}${mark}limit=2`)).json;
      expect((await get(`${path}${mark}cursor=${cursor}`)).status).toBe(200);
      const others = [
        ...paths.filter((other) => other !== path),
        `/v1/projects/${project}/agents`,
        `${base}/audit-exchanges`,
        '/v1/users',
        '/v1/audit-log',
      ];
      for (const other of others) {
        const { status, json } = await get(`${other}${other.includes('?') ? '&' : '?'}cursor=${cursor}`);
        expect([status, json.code]).toEqual([400, 'invalid_request']);
      }
    }
  });
});

describe('invalid requests', () => {
  test.each([
    ['/v1/projects/nothing/agents', /project_uuid.*"nothing" is not a UUID/],
    ['{base}/audit-exchanges?order=up', /order/],
    ['{base}/audit-exchanges/timeseries?to=0000-01-01T00:00:00Z', /year 0000 is the first/],
    ['{base}/audit-exchanges/timeseries?to=0000-01-01T00:00:00%2B01:00', /years 0000 to 9999/],
    ['{base}/audit-exchanges?before=9999-12-31T23:59:59-01:00', /years 0000 to 9999/],
    ['{base}/audit-exchanges/nothing', /exchange_key/],
    ['{base}/audit-exchanges?outcome=good', /outcome/],
    ['{base}/audit-exchanges?after=today', /not a time/],
    ['{base}/audit-exchanges?limit=1001', /limit/],
    ['{base}/state-cids/nothing/blob', /not a CID/],
    ['{base}/audit-exchanges/timeseries?interval=second', /interval/],
    ['{base}/audit-exchanges/timeseries?to=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z', /earlier/],
    [
      '{base}/audit-exchanges/timeseries?interval=minute&from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:00Z',
      /10080 buckets.*interval=hour/,
    ],
  ])('%s', async (path, reason) => {
    const { status, json } = await get(path.replace('{base}', base));
    expect({ status, error: json.error }).toEqual({ status: 400, error: expect.stringMatching(reason) });
  });
});

test('a state that was reported again without its blobs still shows them', async () => {
  const one = await seed(plane.store);
  const found = await plane.store
    .of(stateRecords)
    .page('byStateCid', [one.stateCid, one.agentId], { after: null, limit: 1 });
  const first = found.records[0] ?? expect.fail();
  const again = { ...first, sourceId: randomUUID(), children: [] };
  await plane.store.of(stateRecords).insert([
    { ...again, id: '00000000-0000-4000-8000-000000000000' },
    { ...again, id: 'ffffffff-ffff-4fff-bfff-ffffffffffff', sourceId: randomUUID(), blobs: [] },
  ]);
  const path =
    one.paths['GET /v1/projects/{project_uuid}/agents/{agent_id}/state-cids/{state_cid}/blobs/{cid}'];
  expect((await get(path ?? '')).status).toBe(200);
});

test('no route below a project serves a CID without an agent', async () => {
  const { json } = await get('/openapi.json');
  const withCids = Object.keys(json.paths).filter((path) => /^\/v1\/projects\/.*cid/i.test(path));
  expect(withCids.length).toBe(3);
  for (const path of withCids)
    expect(path).toMatch(/^\/v1\/projects\/\{project_uuid\}\/agents\/\{agent_id\}\//);
  const flat = ['', '/blobs', '/state-cids', '/cids', '/agents', '/agents/state-cids'];
  for (const place of flat)
    for (const cid of [seeded.stateCid, seeded.childCid])
      for (const end of ['', '/blob', `/blobs/${cid}`])
        expect((await get(`/v1/projects/${seeded.project}${place}/${cid}${end}`)).status).toBe(404);
});
