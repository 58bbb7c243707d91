import { describe, expect, test } from 'vitest';
import { developmentPrincipal, type Principal } from '../../src/domain/access/access.ts';
import { graphForWriting, type NewGraph, registerGraph } from '../../src/domain/integrity/graphs/graphs.ts';
import type { Graph, GraphStore } from '../../src/domain/integrity/ports.ts';
import { principalWith as principal } from './principals.ts';

type Graphs = Pick<GraphStore, 'add' | 'get' | 'children'>;

function graphsInMemory(...known: Graph[]): Graphs {
  const graphs = new Map(known.map((graph) => [graph.graphId, graph]));
  return {
    async add(graph) {
      if (graphs.has(graph.graphId)) return 'exists';
      graphs.set(graph.graphId, graph);
      return 'added';
    },
    async get(graphId) {
      return graphs.get(graphId);
    },
    async children(parentId, _page, { projects }) {
      const found = [...graphs.values()].filter(
        (graph) => graph.parentId === parentId && (projects === 'all' || projects.has(graph.projectId)),
      );
      return { graphs: found.map((graph) => ({ ...graph, statements: 0 })) };
    },
  };
}

const root: Graph = { graphId: 'root', name: 'Root', parentId: null, projectId: 'project' };
const newGraph = (changes: Partial<NewGraph> = {}): NewGraph => ({
  graphId: 'new',
  name: 'New',
  parentId: null,
  projectId: null,
  ...changes,
});
const writer = principal({ project: ['create_declarations'] });
const creator = principal({ '*': ['create_projects'] });

describe('registering a graph', () => {
  test('a root graph creates a project', async () => {
    const graphs = graphsInMemory();
    const graph = await registerGraph(graphs, creator, newGraph());
    expect(graph).toEqual({ graphId: 'new', name: 'New', parentId: null, projectId: 'new' });
    expect(await graphs.get('new')).toEqual(graph);
  });

  test('a root graph cannot take over the project of others by its id', async () => {
    const graphs = graphsInMemory(root);
    const intruder = registerGraph(graphs, creator, newGraph({ graphId: 'project' }));
    await expect(intruder).rejects.toMatchObject({ code: 'forbidden' });
    const both = principal({ '*': ['create_projects'], project: ['create_declarations'] });
    expect((await registerGraph(graphs, both, newGraph({ graphId: 'project' }))).projectId).toBe('project');
  });

  test('a root graph joins a project that the caller may write to', async () => {
    const graph = await registerGraph(graphsInMemory(), writer, newGraph({ projectId: 'project' }));
    expect(graph.projectId).toBe('project');
  });

  test('a child belongs to the project of its root', async () => {
    const graphs = graphsInMemory(root);
    const child = await registerGraph(graphs, writer, newGraph({ parentId: 'root' }));
    const grandchild = await registerGraph(graphs, writer, newGraph({ graphId: 'newer', parentId: 'new' }));
    expect([child.projectId, grandchild.projectId]).toEqual(['project', 'project']);
  });

  test.each<[string, Principal, Partial<NewGraph>]>([
    ['a new project needs create_projects', writer, {}],
    ['create_projects counts for all projects only', principal({ new: ['create_projects'] }), {}],
    ['a given project needs create_declarations', creator, { projectId: 'project' }],
    ['somebody else’s project', writer, { projectId: 'other' }],
    ['a child needs create_declarations', creator, { parentId: 'root' }],
    ['a child of somebody else’s graph', principal({ other: ['create_declarations'] }), { parentId: 'root' }],
    ['a child of an unknown graph looks the same', writer, { parentId: 'unknown' }],
  ])('%s', async (_name, caller, changes) => {
    const graphs = graphsInMemory(root);
    await expect(registerGraph(graphs, caller, newGraph(changes))).rejects.toHaveProperty(
      'code',
      'forbidden',
    );
    expect(await graphs.get('new')).toBeUndefined();
  });

  test('a child cannot have another project', async () => {
    const attempt = registerGraph(
      graphsInMemory(root),
      writer,
      newGraph({ parentId: 'root', projectId: 'project' }),
    );
    await expect(attempt).rejects.toHaveProperty('code', 'invalid_request');
  });

  test('an unknown parent is reported without authentication', async () => {
    const attempt = registerGraph(graphsInMemory(), developmentPrincipal, newGraph({ parentId: 'unknown' }));
    await expect(attempt).rejects.toHaveProperty('code', 'not_found');
  });

  test('registering a graph twice is a conflict', async () => {
    const graphs = graphsInMemory(root);
    const again = newGraph({ graphId: 'root', projectId: 'project' });
    await expect(registerGraph(graphs, writer, again)).rejects.toHaveProperty('code', 'conflict');
    await expect(registerGraph(graphs, developmentPrincipal, again)).rejects.toHaveProperty(
      'code',
      'conflict',
    );
  });

  test('a caller without permission does not see the conflict', async () => {
    const attempt = registerGraph(graphsInMemory(root), creator, newGraph({ graphId: 'root' }));
    await expect(attempt).rejects.toHaveProperty('code', 'forbidden');
  });

  test('one of two concurrent registrations succeeds', async () => {
    const blind: Graphs = { ...graphsInMemory(root), get: async () => undefined };
    const attempt = registerGraph(blind, developmentPrincipal, newGraph({ graphId: 'root' }));
    await expect(attempt).rejects.toHaveProperty('code', 'conflict');
  });
});

describe('the graph of a write', () => {
  const graphs = graphsInMemory(root);

  test('is found by callers who may write to it', async () => {
    expect(await graphForWriting(graphs, writer, 'root')).toEqual(root);
  });

  test.each([
    ['a known graph', 'root'],
    ['an unknown graph', 'unknown'],
  ])('%s is forbidden to others in the same way', async (_name, graphId) => {
    const stranger = principal({ other: ['create_declarations'] });
    await expect(graphForWriting(graphs, stranger, graphId)).rejects.toHaveProperty('code', 'forbidden');
  });

  test('an unknown graph is reported without authentication', async () => {
    const attempt = graphForWriting(graphs, developmentPrincipal, 'unknown');
    await expect(attempt).rejects.toHaveProperty('code', 'unknown_graph');
  });
});
