import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { identified } from '../../src/domain/integrity/evidence/things.ts';
import { facet, runEvent } from '../builders/lineage-events.ts';
import { newGraph } from './manifest-samples.ts';
import { type Asked, answerOf, putBlob, send, useService } from './service.ts';

const logged: { msg: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
const service = useService({}, log);

async function post(event: unknown, query = '', on: Asked = service) {
  return await send(on, 'POST', `/api/v1/lineage${query}`, event);
}

async function runsIn(graph: string) {
  const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
  return runs.filter(({ trust }: { trust: { state: string } }) => trust.state !== 'retracted');
}

function table(name: string, run?: string): string {
  const reference = { namespace: 'postgres://db', name };
  const { runId } = runEvent('START', run === undefined ? {} : { run }).run;
  return identified({ reference: run === undefined ? reference : { ...reference, run: runId } }).id;
}

describe('the events of a run', () => {
  test('become a run when it has ended', async () => {
    const graph = await newGraph(service);
    const parent = { run: { runId: 'b' }, job: { namespace: 'airflow', name: 'daily' } };
    const sql = { query: 'INSERT INTO report SELECT * FROM orders' };
    const started = runEvent('START', {
      inputs: ['orders'],
      facets: { parent: { ...facet, ...parent } },
      jobFacets: { sql: { ...facet, ...sql } },
    });
    const first = await post(started, `?graph_id=${graph}`);
    expect([first.status, first.json.kind], first.text).toEqual([201, 'openlineage']);
    expect(await runsIn(graph)).toEqual([]);

    const ended = await post(runEvent('COMPLETE', { minute: 2, outputs: ['report'] }), `?graph_id=${graph}`);
    const runs = await runsIn(graph);
    expect(ended.json.statements).toContain(runs[0].id);
    expect(runs).toMatchObject([
      {
        name: 'load',
        started: '2026-03-01T10:00:00.000Z',
        duration: 120,
        result: 'succeeded',
        inputs: [{ id: table('orders'), name: 'orders' }],
        outputs: [{ id: table('report', 'a'), name: 'report' }],
      },
    ]);
    const { json } = await send(service, 'GET', `/runs/v1/${runs[0].id}`);
    expect(json.metadata).toMatchObject({ job: { namespace: 'airflow', name: 'load' }, parent, sql });
  });

  test('are kept byte for byte, and a repeat stores nothing', async () => {
    const event = JSON.stringify(runEvent('COMPLETE', { outputs: ['a'] }), null, 3);
    const [first, again] = [await post(event), await post(event)];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    const headers = { host: 'localhost' };
    const blob = await service.app.request(`/store/v1/blob/${first.json.blob}`, { headers });
    expect((await answerOf(blob)).text).toBe(event);
  });

  test.each([
    ['FAIL', { errorMessage: { ...facet, message: 'disk full', programmingLanguage: 'SQL' } }, 'disk full'],
    ['FAIL', {}, 'The run failed.'],
    ['ABORT', {}, 'The run was aborted.'],
  ])('say that it ended with %s', async (type, facets, error) => {
    const graph = await newGraph(service);
    await post(runEvent(type, { facets }), `?graph_id=${graph}`);
    const [run] = await runsIn(graph);
    expect(run.result).toBe('failed');
    expect((await send(service, 'GET', `/runs/v1/${run.id}`)).json.error).toBe(error);
    const lineage = `/lineage/v1/${run.id}?graph_id=${graph}`;
    const { nodes } = (await send(service, 'GET', lineage)).json;
    expect(nodes.filter(({ failed }: { failed?: true }) => failed)).toMatchObject([{ id: run.id }]);
    for (const accept of ['text/vnd.mermaid', 'text/vnd.graphviz']) {
      const headers = { host: 'localhost', accept };
      const drawing = await (await service.app.request(lineage, { headers })).text();
      expect(drawing.match(/failed/g)).toHaveLength(1);
    }
    const require = "made_by.all(c, c.result == 'succeeded')";
    const policy = { cairn: 'policy/1', name: 'done', rules: [{ name: 'no failure', require }] };
    const { json } = await send(service, 'POST', '/checks/v1', { subject: run.outputs[0].id, policy });
    expect(json.result).toBe('fail');
  });

  test('give the same run in any order', async () => {
    const events = [
      runEvent('START', { run: 'order', inputs: ['orders', 'people'] }),
      runEvent('RUNNING', { run: 'order', minute: 1, inputs: ['orders', 'prices'] }),
      runEvent('COMPLETE', { run: 'order', minute: 2, outputs: ['report'] }),
      runEvent('OTHER', { run: 'order', minute: 3, outputs: ['log'] }),
    ];
    const seen: unknown[] = [];
    for (const order of someOrders(events)) {
      const graph = await newGraph(service);
      for (const event of order) await post(event, `?graph_id=${graph}`);
      const runs = await runsIn(graph);
      expect(runs).toHaveLength(1);
      const { json } = await send(service, 'GET', `/runs/v1/${runs[0].id}?graph_id=${graph}`);
      seen.push({ run: runs[0].id, facts: [json.started, json.duration, json.inputs, json.outputs] });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
  });

  test('meet the runs that read what it wrote, in any order', async () => {
    const load = runEvent('COMPLETE', { run: 'w1', minute: 1, inputs: ['raw'], outputs: ['orders'] });
    const later = runEvent('COMPLETE', { run: 'w2', minute: 9, inputs: ['raw'], outputs: ['orders'] });
    const failed = runEvent('FAIL', { run: 'w3', minute: 2, inputs: ['raw'], outputs: ['orders'] });
    const report = runEvent('COMPLETE', { run: 'r', minute: 5, inputs: ['orders'], outputs: ['report'] });
    for (const order of someOrders([load, later, failed, report])) {
      const graph = await newGraph(service);
      for (const event of order) await post(event, `?graph_id=${graph}`);
      const reports = (await runsIn(graph)).filter(
        ({ outputs }: { outputs: { id: string }[] }) => outputs[0]?.id === table('report', 'r'),
      );
      expect(reports).toMatchObject([{ inputs: [{ id: table('orders', 'w1') }] }]);
      const path = `/lineage/v1/${table('report', 'r')}?graph_id=${graph}&direction=upstream`;
      const ids = (await send(service, 'GET', path)).json.nodes.map(({ id }: { id: string }) => id);
      expect(ids).toContain(table('raw'));
      expect(ids).not.toContain(table('orders', 'w2'));
    }
  });

  test('meet a table that one of them calls by another name of its symlinks facet, in any order', async () => {
    const folder = { namespace: 's3://lake', name: 'sales' };
    const identifiers = [{ namespace: 'postgres://db', name: 'shop.sales', type: 'TABLE' }];
    const linked = { ...folder, facets: { symlinks: { ...facet, identifiers } } };
    const load = runEvent('COMPLETE', { run: 's1', minute: 1, inputs: ['raw'], outputs: [linked] });
    const report = runEvent('COMPLETE', {
      run: 's2',
      minute: 5,
      inputs: ['shop.sales'],
      outputs: ['shop.all'],
    });
    const copy = runEvent('COMPLETE', { run: 's3', minute: 9, inputs: [{ ...linked, name: 'other' }] });
    const all = runEvent('COMPLETE', { run: 's4', minute: 7, outputs: ['shop.sales'] });
    const written = identified({ reference: { ...folder, run: load.run.runId } }).id;
    for (const order of someOrders([load, report, copy, all])) {
      const graph = await newGraph(service);
      for (const event of order) await post(event, `?graph_id=${graph}`);
      const runs: { started: string; inputs: { id: string }[] }[] = await runsIn(graph);
      const inputsAt = (minute: string) =>
        runs.filter(({ started }) => started.includes(`10:${minute}`)).map(({ inputs }) => inputs[0]?.id);
      expect(inputsAt('05')).toEqual([written]);
      expect(inputsAt('09')).toEqual([table('shop.sales', 's4')]);
    }
    const { json } = await send(service, 'GET', '/search/v1?q=shop.sales');
    expect(JSON.stringify(json)).toContain(written);
  });

  test('show a streaming run while it goes on, because it may never end, and the same in any order', async () => {
    const jobFacets = { jobType: { ...facet, processingType: 'STREAMING', integration: 'FLINK' } };
    const streamed = (type: string, minute: number, run: string, parts: object) =>
      runEvent(type, { run, minute, job: 'follow', jobFacets, ...parts });
    const counted = (rows: number) => {
      const outputFacets = { outputStatistics: { ...facet, rowCount: rows } };
      return { outputs: [{ namespace: 'postgres://db', name: 'visits', outputFacets }] };
    };
    const goingOn = (run: string) => [
      streamed('START', 0, run, { inputs: ['clicks'] }),
      streamed('RUNNING', 1, run, counted(1)),
      streamed('RUNNING', 2, run, counted(2)),
      runEvent('COMPLETE', { run: `${run}r`, minute: 5, inputs: ['visits'], outputs: ['report'] }),
    ];
    const sent = async (events: readonly object[], run: string) => {
      const graph = await newGraph(service);
      for (const event of events) await post(event, `?graph_id=${graph}`);
      const path = `/lineage/v1/${table('report', `${run}r`)}?graph_id=${graph}&direction=upstream`;
      const ids = (await send(service, 'GET', path)).json.nodes.map(({ id }: { id: string }) => id);
      expect(ids).toContain(table('clicks'));
      const runs = await runsIn(graph);
      return runs.find(({ name }: { name: string }) => name === 'follow');
    };
    expect(await sent(goingOn('on'), 'on')).toMatchObject({ duration: null, result: 'unknown' });
    const ended = [...goingOn('off'), streamed('ABORT', 9, 'off', {})];
    const seen = new Set<string>();
    for (const order of someOrders(ended)) {
      const { id, duration, result } = await sent(order, 'off');
      seen.add(JSON.stringify({ id, duration, result }));
    }
    expect([...seen]).toEqual([expect.stringContaining('"duration":540,"result":"failed"')]);
  });

  test('say which run started it, also if more is said later', async () => {
    const graph = await newGraph(service);
    const dag = runEvent('COMPLETE', { run: 'dag', job: 'daily', minute: 9 });
    const parent = { ...facet, run: { runId: dag.run.runId }, job: dag.job };
    const task = { run: 'task', job: 'daily.load', facets: { parent } };
    const events = [
      runEvent('COMPLETE', { ...task, minute: 2 }),
      dag,
      runEvent('RUNNING', { ...task, minute: 1, outputs: ['orders'] }),
    ];
    for (const event of events) await post(event, `?graph_id=${graph}`);
    const runs = await runsIn(graph);
    const [started, starter] = ['daily.load', 'daily'].map((name) =>
      runs.find((run: { name: string }) => run.name === name),
    );
    for (const start of [started.id, starter.id]) {
      const { edges } = (await send(service, 'GET', `/lineage/v1/${start}?graph_id=${graph}`)).json;
      const parts = edges.filter(
        ({ type, trust }: { type?: string; trust: { state: string } }) =>
          type === 'includes' && trust.state !== 'retracted',
      );
      expect(parts).toMatchObject([{ from: starter.program.id, to: started.id }]);
    }
  });

  test('name tables, which the search finds as documents, because they are no files', async () => {
    const graph = await newGraph(service);
    const [run, name] = ['search', 'searched_table'];
    await post(runEvent('COMPLETE', { run, outputs: [name] }), `?graph_id=${graph}`);
    const { artefacts } = (await send(service, 'GET', `/search/v1?q=${name}`)).json;
    expect(artefacts.items).toMatchObject([{ id: table(name, run), name, type: 'document' }]);
  });

  test('meet content by the digest that a dataset has as its version', async () => {
    const { cid } = (await putBlob(service, 'the weights', '?multihash=sha2-256')).json;
    const graph = await newGraph(service);
    const hex = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from('the weights'))).toString(
      'hex',
    );
    const model = {
      namespace: 'file',
      name: 'model.bin',
      facets: { version: { ...facet, datasetVersion: `sha256:${hex}` } },
    };
    await post(
      runEvent('COMPLETE', { run: 'deploy', inputs: [model], outputs: ['endpoint'] }),
      `?graph_id=${graph}`,
    );
    const [run] = await runsIn(graph);
    expect(run.inputs).toMatchObject([{ id: `urn:cid:${cid}` }]);
  });
});

describe('requests that come at the same time', () => {
  test('give what they would give one after the other, and each has its own answer', async () => {
    const graph = await newGraph(service);
    const ended = (run: string) => runEvent('COMPLETE', { run, outputs: [`table-${run}`] });
    const known = await post(ended('known'), `?graph_id=${graph}`);
    const events = [ended('one'), { ...ended('bad'), eventTime: 'today' }, ended('known'), ended('two')];
    const answers = await Promise.all(events.map((event) => post(event, `?graph_id=${graph}`)));
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 200, 201]);
    expect(answers[2]?.json).toEqual(known.json);
    for (const at of [0, 3]) {
      const again = await post(events[at], `?graph_id=${graph}`);
      expect(again).toEqual({ ...again, status: 200, json: answers[at]?.json });
    }
    expect(await runsIn(graph)).toHaveLength(3);
  });

  test('are answered also if the client of the first disconnects', async () => {
    // Statements with so many inputs are identified on a thread, which gives up for a client that has left.
    const inputs = Array.from({ length: 400 }, (_, at) => `input-${at}`);
    const sent = (run: string, signal?: AbortSignal) =>
      service.app.request('/api/v1/lineage', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(runEvent('COMPLETE', { run, inputs })),
        ...(signal && { signal }),
      });
    const [, second] = await Promise.all([sent('left', AbortSignal.abort()), sent('stayed')]);
    expect(second.status).toBe(201);
  });
});

describe('a compressed event', () => {
  const compressed = (body: Uint8Array) =>
    send(service, 'POST', '/api/v1/lineage', body, { 'content-encoding': 'gzip' });

  test('is taken', async () => {
    const event = JSON.stringify(runEvent('COMPLETE', { run: 'zip', outputs: ['t'] }));
    expect((await compressed(gzipSync(event))).status).toBe(201);
    expect((await post(event)).status).toBe(200);
  });

  test('that is too large, or that is none, is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(40 << 20, ' '));
    expect((await compressed(bomb)).json.code).toBe('too_large');
    expect((await compressed(Buffer.from('{}'))).json.code).toBe('invalid_request');
  });
});

describe('a batch', () => {
  test('takes the good events and lists the others', async () => {
    const good = runEvent('COMPLETE', { run: 'batch', outputs: ['t'] });
    const { run: _, ...without } = good;
    const { status, json } = await send(service, 'POST', '/api/v1/lineage/batch', [good, without, good, 7]);
    expect(status).toBe(200);
    expect(json).toEqual({
      status: 'partial_success',
      summary: { received: 4, successful: 2, failed: 2, retriable: 0, non_retriable: 2 },
      failed_events: [
        { index: 1, reason: 'OpenLineage does not allow this: run is missing.', retriable: false },
        { index: 3, reason: expect.stringMatching(/^An event is a JSON object\./), retriable: false },
      ],
    });
    const reasons = json.failed_events.map(({ reason }: { reason: string }) => reason);
    expect(logged).toContainEqual(expect.objectContaining({ refused: 2, reasons }));
    for (const query of ['', '?graph_id=0199b6f2-0000-7000-8000-000000000000']) {
      const { error } = (await post(without, query)).json;
      expect(logged).toContainEqual(expect.objectContaining({ refused: 1, reasons: [error] }));
    }
  });

  test('of one event after the other is the same as single events', async () => {
    const graph = await newGraph(service);
    const events = ['START', 'RUNNING', 'COMPLETE'].map((type, minute) =>
      runEvent(type, { minute, outputs: ['t'] }),
    );
    await send(service, 'POST', `/api/v1/lineage/batch?graph_id=${graph}`, events);
    expect(await runsIn(graph)).toMatchObject([{ duration: 120 }]);
  });
});

describe('what is no event', () => {
  const { run: _, ...without } = runEvent('START');
  test.each([
    ['without a run', without, '/run'],
    ['of another format', { spdxVersion: 'SPDX-2.3' }, '/eventTime'],
    ['with a time that is none', { ...runEvent('START'), eventTime: '12:00' }, '/eventTime'],
  ])('%s is refused with its place', async (_, event, pointer) => {
    const { status, json } = await post(event);
    expect([status, json.code, json.details?.[0]?.pointer]).toEqual([400, 'invalid_evidence', pointer]);
  });

  test.each(['', '[]', 'null', '{"a":', '\u0000'])('%j is refused', async (body) => {
    expect((await post(body)).status).toBe(400);
    if (body !== '[]') expect((await send(service, 'POST', '/api/v1/lineage/batch', body)).status).toBe(400);
  });

  test('an event from 1970 is one', async () => {
    const graph = await newGraph(service);
    await post(
      { ...runEvent('COMPLETE', { run: 'old' }), eventTime: '1970-01-01T00:00:00Z' },
      `?graph_id=${graph}`,
    );
    expect(await runsIn(graph)).toMatchObject([{ started: '1970-01-01T00:00:00.000Z', duration: 0 }]);
  });
});

/** Each is first and last once, and follows each other one. */
function someOrders<Item>(items: readonly Item[]): Item[][] {
  const turned = items.map((_, at) => [...items.slice(at), ...items.slice(0, at)]);
  return [...turned, ...turned.map((order) => order.toReversed())];
}
