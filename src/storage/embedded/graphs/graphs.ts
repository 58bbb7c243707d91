import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { isVisible } from '../../../domain/access/visibility.ts';
import { readCursor, writeCursor } from '../../../domain/cursors.ts';
import type { GraphImports } from '../../../domain/integrity/manifest/ports.ts';
import type { Graph, GraphStore } from '../../../domain/integrity/ports.ts';
import { PackedRows } from '../../../domain/integrity/statements/packed-rows.ts';
import type { GraphReads } from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { boundLimit } from '../bound-limit.ts';
import type { Database } from '../database.ts';
import { namingDamage } from '../errors.ts';
import type { Row } from '../statements/statement-rows.ts';

const projectsAtOnce = 50;
const namesAtOnce = 256;
const columns = 'id, graph_id, name, parent_id, project_id';

export function embeddedGraphs({ reader, writes }: Database): GraphStore {
  const count = statementCounter(reader);
  const byName = reader.prepare(
    `SELECT ${columns} FROM graphs WHERE name = ? AND id > ? ORDER BY id LIMIT ${namesAtOnce}`,
  );
  const byId = reader.prepare(`SELECT ${columns} FROM graphs WHERE graph_id = ?`);
  const allChildren = reader.prepare(
    `SELECT ${columns} FROM graphs WHERE parent_id IS ? AND id > ? ORDER BY id ${boundLimit}`,
  );
  const childrenOfProject = reader.prepare(
    `SELECT ${columns} FROM graphs WHERE project_id = ? AND parent_id IS ? AND id > ? ORDER BY id ${boundLimit}`,
  );

  async function childrenOfProjects(
    projects: ReadonlySet<string>,
    parentId: string | null,
    after: number,
    wanted: number,
  ): Promise<Row[]> {
    let found: Row[] = [];
    let asked = 0;
    for (const project of projects) {
      found.push(...childrenOfProject.all(project, parentId, after, wanted));
      if (++asked % projectsAtOnce > 0) continue;
      found = oldest(found, wanted);
      await setImmediate();
    }
    return oldest(found, wanted);
  }

  return namingDamage('the graphs', {
    add: ({ graphId, name, parentId, projectId }) =>
      writes.run('addGraph', { graphId, name, parentId, projectId }),

    get: async (graphId) => byId.all(graphId).map(graphOf)[0],

    async children(parentId, page, { projects }) {
      const question = ['children', parentId];
      const after = page.after === null ? 0 : Number(readCursor(page.after, question));
      const wanted = page.limit + 1;
      const rows =
        projects === 'all'
          ? allChildren.all(parentId, after, wanted)
          : await childrenOfProjects(projects, parentId, after, wanted);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      return {
        graphs: shown.map(graphOf),
        ...(last && rows.length > page.limit && { next: writeCursor(Number(last.id), question) }),
      };
    },

    async named(name, limit, visibility) {
      const found: Graph[] = [];
      for (let after = 0, isFull = true; isFull && found.length < limit; ) {
        const rows = byName.all(name, after);
        found.push(...rows.map(graphOf).filter(({ projectId }) => isVisible(projectId, visibility)));
        isFull = rows.length === namesAtOnce;
        after = Number(rows.at(-1)?.id);
        await yieldToEventLoop();
      }
      return found.slice(0, limit);
    },

    async statementCounts(graphIds, most) {
      const counts: number[] = [];
      for (const graphId of graphIds) counts.push(await count(graphId, most));
      return counts;
    },
  });
}

function oldest(rows: Row[], wanted: number): Row[] {
  return rows.sort((a, b) => Number(a.id) - Number(b.id)).slice(0, wanted);
}

export function graphOf(row: Row): Graph {
  return {
    graphId: String(row.graph_id),
    name: String(row.name),
    parentId: row.parent_id === null ? null : String(row.parent_id),
    projectId: String(row.project_id),
  };
}

const rowsAtOnce = 4_096;

/** Counts the statements of a graph, or the verified ones in no graph, as `GraphStore.statementCounts` does. */
export function statementCounter(reader: DatabaseSync) {
  const ofGraph = reader.prepare('SELECT statements FROM graphs WHERE graph_id = ?');
  // The index by kind is small. The rows themselves hold the statements.
  const rows = reader.prepare(
    `SELECT kind, seq, NOT EXISTS (SELECT 1 FROM verified_graphs AS its WHERE its.seq = row.seq) AS is_alone
     FROM verified_rows AS row WHERE (kind, seq) > (?, ?) ORDER BY kind, seq LIMIT ${rowsAtOnce}`,
  );

  async function inNoGraph(most: number): Promise<number> {
    let count = 0;
    let [kind, seq] = [0, 0];
    for (let isFull = true; isFull && count <= most; ) {
      const found = rows.all(kind, seq);
      count += found.filter(({ is_alone }) => is_alone === 1).length;
      isFull = found.length === rowsAtOnce;
      [kind, seq] = [Number(found.at(-1)?.kind), Number(found.at(-1)?.seq)];
      await yieldToEventLoop();
    }
    return count;
  }

  return async (graphId: string | null, most: number): Promise<number> => {
    const count = graphId === null ? await inNoGraph(most) : Number(ofGraph.get(graphId)?.statements ?? 0);
    return Math.min(count, most + 1);
  };
}

export function embeddedGraphImports({ writes }: Database): GraphImports {
  return {
    async begin() {
      const id = await writes.run('beginImport', undefined);
      return {
        put: async (rows) =>
          await writes.run('putImported', { graph: id, slices: PackedRows.of(rows).slices }),
        publish: (graph, attachments) => writes.run('publishImport', { id, graph, attachments }),
        abandon: () => forgetImport(writes, id),
      };
    },
  };
}

/** Removes imports of a process that ended. Nobody can see them. The next start continues what is left. */
export async function forgetImports({ reader, writes }: Database): Promise<void> {
  try {
    const left = reader.prepare('SELECT id FROM graph_imports').all();
    for (const { id } of left) await forgetImport(writes, Number(id));
  } catch {
    // Every other write reports the same failure.
  }
}

/** Works step by step, so that other writes can run in between. */
async function forgetImport(writes: Database['writes'], id: number): Promise<void> {
  while (!(await writes.run('forgetImport', { id })));
}

const pageRows = 128;

export function graphReads(reader: DatabaseSync): GraphReads {
  const byName = reader.prepare('SELECT id, graph_id, project_id, statements FROM graphs WHERE graph_id = ?');
  const after = reader.prepare(
    `SELECT id, graph_id, project_id FROM graphs WHERE id > ? ORDER BY id LIMIT ${pageRows}`,
  );
  const contextsOf = reader.prepare('SELECT url, cid FROM graph_contexts WHERE graph = ? ORDER BY url');
  const anchorsOf = reader.prepare('SELECT cid FROM graph_anchors WHERE graph = ? ORDER BY position');

  async function all(): Promise<Row[]> {
    const found: Row[] = [];
    for (let page = after.all(0); page.length > 0; page = after.all(Number(found.at(-1)?.id))) {
      found.push(...page);
      await yieldToEventLoop();
    }
    return found;
  }

  return namingDamage('the graphs', {
    async visible(graphIds, visibility) {
      const found = graphIds ? [...new Set(graphIds)].flatMap((name) => byName.all(name)) : await all();
      return found
        .filter(({ project_id }) => isVisible(String(project_id), visibility))
        .sort((one, other) => Number(one.id) - Number(other.id))
        .map(({ graph_id }) => String(graph_id));
    },

    async sizes(graphIds) {
      return new Map(graphIds.map((graphId) => [graphId, Number(byName.get(graphId)?.statements)]));
    },

    async attachments(graphIds) {
      const contexts: { url: string; cid: string }[] = [];
      const anchors: string[] = [];
      for (const graphId of graphIds) {
        const id = Number(byName.get(graphId)?.id ?? 0);
        for (const { url, cid } of contextsOf.iterate(id))
          contexts.push({ url: String(url), cid: String(cid) });
        for (const { cid } of anchorsOf.iterate(id)) anchors.push(String(cid));
        await yieldToEventLoop();
      }
      return { contexts, anchors };
    },
  });
}
