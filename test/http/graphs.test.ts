import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ownStatement } from '../builders/statements.ts';
import { send, useService } from './service.ts';

const service = useService();

async function register(more: Record<string, unknown> = {}) {
  const graph_id = randomUUID();
  return {
    graph_id,
    answer: await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph', ...more }),
  };
}

describe('PUT /graph/v1', () => {
  it('registers a root graph as its own project, or in the given project', async () => {
    const own = await register();
    expect([own.answer.status, own.answer.json]).toEqual([
      201,
      { graph_id: own.graph_id, name: 'a graph', parent_id: null, project_id: own.graph_id },
    ]);
    const project_id = randomUUID();
    expect((await register({ project_id })).answer.json.project_id).toBe(project_id);
  });

  it('gives a child the project of its root', async () => {
    const project_id = randomUUID();
    const root = await register({ project_id });
    const child = await register({ parent_id: root.graph_id });
    const grandchild = await register({ parent_id: `urn:uuid:${child.graph_id}` });
    expect(grandchild.answer.json).toMatchObject({ parent_id: child.graph_id, project_id });
  });

  it('answers 409 for a registered graph, and 404 for an unknown parent', async () => {
    const { graph_id } = await register();
    const again = await send(service, 'PUT', '/graph/v1', { graph_id, name: 'another name' });
    expect([again.status, again.json.code]).toEqual([409, 'conflict']);
    const orphan = await register({ parent_id: randomUUID() });
    expect([orphan.answer.status, orphan.answer.json.code]).toEqual([404, 'not_found']);
  });

  it('lets only one of several concurrent registrations succeed', async () => {
    const graph_id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(service, 'PUT', '/graph/v1', { graph_id, name: 'x' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it.each([
    ['an id that is no UUID', { graph_id: 'x' }],
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of another type', { name: 5 }],
    ['a project beside a parent', { parent_id: randomUUID(), project_id: randomUUID() }],
    ['an unknown field', { parent: randomUUID() }],
  ])('refuses %s', async (_what, more) => {
    expect((await register(more)).answer.status).toBe(400);
  });
});

describe('GET /graph/v1', () => {
  it('lists roots or children page by page, each once, in the order of registration', async () => {
    const root = await register();
    const children = [];
    for (let at = 0; at < 5; at += 1) children.push((await register({ parent_id: root.graph_id })).graph_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { json } = await send(
        service,
        'GET',
        `/graph/v1/${root.graph_id}?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...json.graphs.map((graph: { graph_id: string }) => graph.graph_id));
      cursor = json.next_cursor;
    } while (cursor);
    expect(seen).toEqual(children);
    const roots = (await send(service, 'GET', '/graph/v1?limit=1000')).json.graphs;
    expect(roots.map((graph: { graph_id: string }) => graph.graph_id)).toContain(root.graph_id);
    expect(roots.map((graph: { graph_id: string }) => graph.graph_id)).not.toContain(children[0]);
  });

  it('shows a graph with its children, and counts statements unless told not to', async () => {
    const { graph_id } = await register({ name: 'counted' });
    const child = await register({ parent_id: graph_id });
    const statements = [ownStatement('DidRegistration', { did: 'did:example:a' })];
    const put = (path: string, more: object) =>
      send(service, 'PUT', path, { generate_id: true, statements, ...more });
    await put('/statements/v1/batch', { graph_id });
    await put('/statements/v1/batch', {
      statements: [ownStatement('DidRegistration', { did: 'did:example:b' })],
    });
    const get = async (path: string) => (await send(service, 'GET', path)).json;
    const counted = { graph_id, name: 'counted', parent_id: null, project_id: graph_id, statements: 1 };
    expect(await get(`/graph/v1/${graph_id}`)).toEqual({
      graph: counted,
      graphs: [expect.objectContaining({ graph_id: child.graph_id, statements: 0 })],
    });
    expect(await get('/graph/v1?name=counted')).toEqual({ graphs: [counted] });
    expect((await get('/graph/v1?in_no_graph=true')).in_no_graph).toEqual({ statements: 1 });
    expect((await get(`/graph/v1/${graph_id}?counts=false`)).graph).not.toHaveProperty('statements');
  });

  it.each(['?limit=0', '?limit=1001', '?limit=x', '?cursor=made-up', `?cursor=${'x'.repeat(501)}`])(
    'refuses %s',
    async (query) => {
      expect((await send(service, 'GET', `/graph/v1${query}`)).status).toBe(400);
    },
  );

  it('answers 404 for the children of an unknown graph', async () => {
    expect((await send(service, 'GET', `/graph/v1/${randomUUID()}`)).status).toBe(404);
    expect((await send(service, 'GET', '/graph/v1/hello')).status).toBe(400);
  });
});
