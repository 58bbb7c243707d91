import { describe, expect, test } from 'vitest';
import { developmentPrincipal, type Principal } from '../../src/domain/access/access.ts';
import type { Grants, Permission } from '../../src/domain/access/grants.ts';
import { graphForImport, graphsForReading } from '../../src/domain/integrity/graphs/graphs.ts';
import type { Graph, GraphStore } from '../../src/domain/integrity/ports.ts';
import { principalWith } from './principals.ts';

const graph = (graphId: string, parentId: string | null, projectId: string): Graph => ({
  graphId,
  name: graphId,
  parentId,
  projectId,
});
const known = [
  graph('mine', null, 'my project'),
  graph('child', 'mine', 'my project'),
  graph('grandchild', 'child', 'my project'),
  graph('other child', 'mine', 'my project'),
  graph('theirs', null, 'their project'),
  // A cycle, which cannot be registered.
  graph('snake', 'tail', 'my project'),
  graph('tail', 'snake', 'my project'),
];

const graphs: Pick<GraphStore, 'get' | 'children'> = {
  get: async (graphId) => known.find((one) => one.graphId === graphId),
  async children(parentId, { after, limit }, { projects }) {
    const all = known.filter(
      (one) => one.parentId === parentId && (projects === 'all' || projects.has(one.projectId)),
    );
    const start = Number(after ?? 0);
    const page = all.slice(start, start + Math.min(limit, 1)).map((one) => ({ ...one, statements: 0 }));
    return { graphs: page, ...(start + 1 < all.length && { next: String(start + 1) }) };
  },
};

function caller(...permissions: Permission[]): Principal {
  return principalWith({ 'my project': permissions });
}

const reader = caller('view_project_data');
const read = async (principal: Principal, graphIds: string[], withDescendants = false) =>
  (await graphsForReading(graphs, principal, { graphIds, withDescendants })).graphIds;

describe('the graphs of an export', () => {
  test('are the requested ones, each once, with descendants if requested', async () => {
    expect(await read(reader, ['child', 'mine', 'child'])).toEqual(['child', 'mine']);
    expect(await read(reader, ['mine'], true)).toEqual(['mine', 'child', 'other child', 'grandchild']);
    expect(await read(reader, ['snake'], true)).toEqual(['snake', 'tail']);
    expect(await read(reader, [])).toEqual([]);
  });

  test('are forbidden if one of them is forbidden or unknown', async () => {
    for (const graphId of ['theirs', 'nowhere'])
      await expect(read(reader, ['mine', graphId])).rejects.toMatchObject({ code: 'forbidden' });
    await expect(read(caller('create_declarations'), ['mine'])).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('are complete even if their project is beyond the limit of lists', async () => {
    const grants: Grants = { ...reader.grants, visible: async () => ({ projects: new Set() }) };
    const request = { graphIds: ['mine'], withDescendants: true };
    expect(await graphsForReading(graphs, { ...reader, grants }, request)).toEqual({
      graphIds: ['mine', 'child', 'other child', 'grandchild'],
      visibility: { projects: new Set(['my project']) },
    });
  });

  test('are reported as unknown only without authentication', async () => {
    await expect(read(developmentPrincipal, ['nowhere'])).rejects.toMatchObject({ code: 'not_found' });
    expect(await read(developmentPrincipal, ['theirs'])).toEqual(['theirs']);
  });
});

describe('the graph of an import', () => {
  const request = (graphId: string, parentId: string | null = null) => ({
    graphId,
    name: 'name',
    parentId,
    projectId: null,
  });

  test('can be a child if the caller may write to the parent, or a root if the caller may create projects', async () => {
    const writer = caller('create_declarations');
    expect(await graphForImport(graphs, writer, request('new', 'mine'))).toMatchObject({
      projectId: 'my project',
    });
    for (const parent of [null, 'theirs', 'nowhere'])
      await expect(graphForImport(graphs, writer, request('new', parent))).rejects.toMatchObject({
        code: 'forbidden',
      });
    const founder = principalWith({ '*': ['create_projects'] });
    expect(await graphForImport(graphs, founder, request('new'))).toMatchObject({ projectId: 'new' });
  });

  test('can be an existing graph with the same parent if the caller may write to it', async () => {
    const writer = caller('create_declarations');
    expect(await graphForImport(graphs, writer, request('child'))).toEqual(known[1]);
    expect(await graphForImport(graphs, writer, request('child', 'mine'))).toEqual(known[1]);
    await expect(graphForImport(graphs, writer, request('child', 'other child'))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(graphForImport(graphs, writer, request('theirs'))).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
