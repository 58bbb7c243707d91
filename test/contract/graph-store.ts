import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible, type Visibility } from '../../src/domain/access/visibility.ts';
import type { Graph, GraphPage, GraphStore } from '../../src/domain/integrity/ports.ts';

interface Stores extends AsyncDisposable {
  readonly graphs: GraphStore;
}

/** What every GraphStore does. It is left empty or filled: each test has names of its own. */
export function graphStoreContract(open: () => Promise<Stores>): void {
  describe('a graph store', () => {
    let stores: Stores;
    let graphs: GraphStore;
    let root: Graph;

    beforeAll(async () => {
      stores = await open();
      graphs = stores.graphs;
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      root = await added({});
    });

    async function added(fields: Partial<Graph>): Promise<Graph> {
      const graphId = randomUUID();
      const graph = { graphId, name: `name of ${graphId}`, parentId: null, projectId: graphId, ...fields };
      expect(await graphs.add(graph)).toBe('added');
      return graph;
    }

    async function addedChildren(count: number): Promise<Graph[]> {
      const children: Graph[] = [];
      for (let index = 0; index < count; index += 1)
        children.push(await added({ parentId: root.graphId, projectId: root.projectId }));
      return children;
    }

    /** All pages, one after the other. */
    async function listed(parentId: string | null, visibility: Visibility, limit = 100): Promise<string[]> {
      const found: string[] = [];
      let page: GraphPage | undefined;
      do {
        page = await graphs.children(parentId, { after: page?.next ?? null, limit }, visibility);
        expect(page.graphs.length).toBeLessThanOrEqual(limit);
        found.push(...page.graphs.map(({ graphId }) => graphId));
      } while (page.next !== undefined);
      return found;
    }

    test('returns roots and children as they were added', async () => {
      const [child] = await addedChildren(1);
      expect(await graphs.get(root.graphId)).toEqual(root);
      expect(await graphs.get(String(child?.graphId))).toEqual(child);
      expect(await graphs.get(randomUUID())).toBeUndefined();
    });

    test('keeps the first graph of an id', async () => {
      expect(await graphs.add(root)).toBe('exists');
      expect(await graphs.add({ ...root, name: 'other', parentId: 'other', projectId: 'other' })).toBe(
        'exists',
      );
      expect(await graphs.get(root.graphId)).toEqual(root);
    });

    test('adds a graph once when it is added many times at once', async () => {
      const graph = { graphId: randomUUID(), name: '', parentId: null, projectId: 'p' };
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => graphs.add(graph)));
      expect(outcomes.toSorted()).toEqual(['added', ...Array(9).fill('exists')]);
    });

    test.each([1, 2, 3, 6, 7, 8, 100])(
      'lists children in the order of their registration, %i a page',
      async (limit) => {
        const expected = (await addedChildren(7)).map(({ graphId }) => graphId);
        expect(await listed(root.graphId, everythingVisible, limit)).toEqual(expected);
        expect(await listed(root.graphId, only(root.projectId), limit)).toEqual(expected);
        expect(await listed(root.graphId, only('other'), limit)).toEqual([]);
      },
    );

    test('lists children with all of their fields, without grandchildren', async () => {
      const [child] = await addedChildren(1);
      await added({ parentId: String(child?.graphId), projectId: root.projectId });
      const page = await graphs.children(root.graphId, { after: null, limit: 10 }, everythingVisible);
      expect(page).toEqual({ graphs: [child] });
      expect(await listed(randomUUID(), everythingVisible)).toEqual([]);
    });

    test('lists the roots of the visible projects in the order of their registration', async () => {
      const others = [await added({}), await added({ projectId: root.projectId }), await added({})];
      const [between, sameProject, last] = others.map(({ graphId }) => graphId);
      const projects = [String(last), root.projectId, randomUUID()];
      for (const limit of [1, 2, 10])
        expect(await listed(null, only(...projects), limit)).toEqual([root.graphId, sameProject, last]);
      expect(await listed(null, only())).toEqual([]);
      const all = await listed(null, everythingVisible);
      expect(all.filter((id) => [root.graphId, between, sameProject, last].includes(id))).toEqual([
        root.graphId,
        between,
        sameProject,
        last,
      ]);
    });

    test('lists roots for a reader of very many projects', async () => {
      const projects = Array.from({ length: 500 }, () => randomUUID());
      const other = await added({});
      expect(await listed(null, only(other.projectId, ...projects, root.projectId))).toEqual([
        root.graphId,
        other.graphId,
      ]);
    });

    test('finds the visible graphs with a name on every level, oldest first', async () => {
      const name = `shared by ${root.graphId}`;
      const first = await added({ name });
      const child = await added({ name, parentId: root.graphId, projectId: root.projectId });
      await added({ name: name.toUpperCase() });
      expect(await graphs.named(name, 9, everythingVisible)).toEqual([first, child]);
      expect(await graphs.named(name, 1, everythingVisible)).toEqual([first]);
      expect(await graphs.named(name, 1, only(root.projectId))).toEqual([child]);
    });

    test('continues after a page although graphs were added', async () => {
      const before = await addedChildren(3);
      const page = { after: null, limit: 2 };
      const { next } = await graphs.children(root.graphId, page, everythingVisible);
      const after = await addedChildren(1);
      const rest = await graphs.children(root.graphId, { after: String(next), limit: 9 }, everythingVisible);
      const expected = [before[2]?.graphId, after[0]?.graphId];
      expect(rest.graphs.map(({ graphId }) => graphId)).toEqual(expected);
      expect(rest.next).toBeUndefined();
    });

    test('refuses cursors of other lists', async () => {
      await addedChildren(3);
      const { next } = await graphs.children(root.graphId, { after: null, limit: 1 }, everythingVisible);
      const madeUp = ['', 'x', 'g', '0', '-1', "' OR 1=1", `${next}0000`, ` ${next}`, 'g'.repeat(100_000)];
      for (const after of madeUp)
        for (const visibility of [everythingVisible, only(root.projectId)])
          await expect(
            graphs.children(root.graphId, { after, limit: 1 }, visibility),
            after.slice(0, 20),
          ).rejects.toMatchObject({ code: 'invalid_request' });
      const elsewhere = graphs.children(null, { after: String(next), limit: 1 }, everythingVisible);
      await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_request' });
    });
  });
}

function only(...projects: string[]): Visibility {
  return { projects: new Set(projects) };
}
