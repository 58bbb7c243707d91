import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { runDetails, runs as runsSchema } from '../../src/contract/integrity/runs.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const service = useService();
const registrant = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const stranger = 'did:web:stranger.example';
const at = (minute: number) => `2026-01-31T12:${String(minute).padStart(2, '0')}:00Z`;

async function put(type: string, fields: object, graph_id: string): Promise<string> {
  const statement = ownStatement(type as never, { registeredBy: registrant, ...fields });
  const body = { statement, generate_id: true, graph_id };
  const { status, json } = await send(service, 'PUT', '/statements/v1', body);
  expect(status, JSON.stringify(json)).toBe(201);
  return `urn:cid:${json.rdfc_cid}`;
}

async function describedBy(subject: string, document: object, graph: string, more = {}): Promise<string> {
  const { json } = await send(service, 'PUT', '/store/v1/jcs', document);
  return await put('MetadataRegistration', { subject, metadata: `urn:cid:${json.cid}`, ...more }, graph);
}

const documentOf = (name: string, minute: number, more = {}) => ({
  type: 'CairnRun',
  version: 1,
  name,
  command: ['train'],
  exit_code: 0,
  started: at(minute).replace('Z', '.000Z'),
  duration: 1.5,
  ...more,
});

/** A computation with a document about it. */
async function newRun(graph: string, document: object | undefined, minute: number): Promise<string> {
  const id = await put(
    'ComputationRegistration',
    {
      computation: blobUrn('train.py'),
      input: [blobUrn('a'), blobUrn('b'), blobUrn('c'), blobUrn('d')],
      output: blobUrn(randomUUID()),
      operatedBy: registrant,
      timestamp: at(minute),
    },
    graph,
  );
  if (document) await describedBy(id, document, graph, { timestamp: at(minute) });
  return id;
}

const get = async (path: string) => {
  const { status, json } = await send(service, 'GET', path);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};

const list = async (query: string) => runsSchema.parse(await get(`/runs/v1?${query}`));
const details = async (id: string) => runDetails.parse(await get(`/runs/v1/${id}`));

describe('GET /runs/v1', () => {
  test('lists computations of a graph, newest first and page by page, with and without a document', async () => {
    const graph = await newGraph(service);
    await describedBy(blobUrn('train.py'), { path: 'train.py' }, graph);
    const first = await newRun(graph, documentOf('first', 1), 1);
    const second = await newRun(graph, documentOf('second', 2, { exit_code: 3 }), 2);
    const bare = await newRun(graph, undefined, 3);
    const page = await list(`graph_id=${graph}&limit=2`);
    expect(page.runs.map(({ id }) => id)).toEqual([bare, second]);
    expect(page.runs[0]).toMatchObject({
      name: 'train.py',
      result: 'unknown',
      command: null,
      started: null,
      timestamp: at(3).replace('Z', '.000Z'),
    });
    expect(page.runs[1]).toMatchObject({
      name: 'second',
      result: 'failed',
      exit_code: 3,
      duration: 1.5,
      command: ['train'],
      by: [{ id: registrant }],
      input_count: 4,
      output_count: 1,
      trust: { state: 'claimed' },
      graphs: [{ id: graph }],
    });
    expect(page.runs[1]?.inputs).toHaveLength(3);
    const rest = await list(`graph_id=${graph}&limit=2&cursor=${page.next_cursor}`);
    expect([rest.runs.map(({ id }) => id), rest.next_cursor]).toEqual([[first], undefined]);
    expect((await list('limit=1')).runs[0]?.id).toBe(bare);
  });

  test('finds runs by the start of their name, the newest of a name first', async () => {
    const graph = await newGraph(service);
    const name = `fit ${randomUUID()}`;
    const [one, two] = [
      await newRun(graph, documentOf(name, 1), 1),
      await newRun(graph, documentOf(name, 2), 2),
    ];
    await describedBy(blobUrn(randomUUID()), { name }, graph);
    const { runs } = await list(`name=${encodeURIComponent(name.toUpperCase())}`);
    expect(runs.map(({ id }) => id)).toEqual([two, one]);
  });

  test('lists the runs of one project', async () => {
    const [graph, other] = [await newGraph(service), await newGraph(service)];
    const id = await newRun(graph, documentOf('of a project', 1), 1);
    await newRun(other, documentOf('of another', 1), 1);
    const { json } = await send(service, 'GET', `/graph/v1/${graph}`);
    const { runs } = await list(`project_id=${json.graph.project_id}`);
    expect(runs.map((run) => run.id)).toEqual([id]);
    expect((await list(`project_id=${randomUUID()}`)).runs).toEqual([]);
  });
});

describe('GET /runs/v1/{id}', () => {
  const parameters = [
    { path: 'params.yaml', cid: blobUrn('lr: 1'), values: { lr: 1, deep: { on: [true] } } },
  ];
  const facts = {
    parameters,
    metrics: { loss: 0.25 },
    environment: { SEED: null },
    git: { commit: 'c0ffee', branch: 'main', clean: false, untracked: 1 },
    metadata: { team: 'credit' },
  };

  test('has everything in the document, and the run of the same name before', async () => {
    const graph = await newGraph(service);
    const name = `run ${randomUUID()}`;
    const before = await newRun(graph, documentOf(name, 1), 1);
    const id = await newRun(graph, documentOf(name, 2, facts), 2);
    await newRun(graph, documentOf(name, 3), 3);
    await newRun(graph, documentOf(`${name} b`, 1), 1);
    expect(await details(id)).toMatchObject({ ...facts, id, name, before, result: 'succeeded' });
    expect((await details(before)).before).toBeNull();
  });

  test('reads documents without a type, as versions before wrote them', async () => {
    const { type: _, version: __, ...earlier } = documentOf('old', 1);
    const id = await newRun(await newGraph(service), { ...earlier, seed: 7 }, 1);
    expect(await details(id)).toMatchObject({ name: 'old', duration: 1.5, metadata: { seed: 7 } });
  });

  test('believes only the registrant of the computation', async () => {
    const graph = await newGraph(service);
    const id = await newRun(graph, documentOf('mine', 1, facts), 1);
    const forged = documentOf('forged', 9, { metrics: { loss: 0 } });
    await describedBy(id, forged, graph, { registeredBy: stranger, timestamp: at(9) });
    expect(await details(id)).toMatchObject({ name: 'mine', metrics: { loss: 0.25 } });
  });

  test('shows a document that is not a run, is missing, or is damaged as a run without one', async () => {
    const graph = await newGraph(service);
    const id = await newRun(graph, { name: 'a label' }, 1);
    const missing = blobUrn(randomUUID());
    await put('MetadataRegistration', { subject: id, metadata: missing }, graph);
    expect(await details(id)).toMatchObject({ name: 'a label', description: null, metrics: null });
  });

  test('refuses what is no computation', async () => {
    const graph = await newGraph(service);
    const id = await put('DataRegistration', { data: blobUrn('x') }, graph);
    for (const one of [id, blobUrn('x')])
      expect((await send(service, 'GET', `/runs/v1/${one}`)).json).toMatchObject({ code: 'not_found' });
    expect((await send(service, 'GET', '/runs/v1/nonsense')).status).toBe(400);
  });

  test.each([1e300, 3e11])('that lasted %d seconds has no end, in exports and checks', async (duration) => {
    const id = await newRun(await newGraph(service), documentOf('endless', 1, { duration }), 1);
    const { outputs } = await details(id);
    const output = String(outputs[0]?.id);
    for (const format of ['slsa', 'prov', 'cyclonedx']) {
      const path = `/lineage/v1/${output}/provenance?format=${format}`;
      expect((await send(service, 'GET', path)).status).toBe(200);
    }
    const rules = [{ name: 'has ended', require: 'made_by.all(c, c.ended > c.started)' }];
    const policy = { cairn: 'policy/1', name: 'ended', rules };
    const { status, json } = await send(service, 'POST', '/checks/v1', { subject: output, policy });
    expect([status, json.result]).toEqual([200, 'cannot_tell']);
  });
});
