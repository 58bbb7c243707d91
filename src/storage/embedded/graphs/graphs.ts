import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Graph, GraphPage, GraphStore } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';

type Row = Record<string, SQLOutputValue>;
interface Page {
  readonly after: string | null;
  readonly limit: number;
}

/** Projects asked before other work has its turn. */
const projectsAtOnce = 50;
const columns = 'id, graph_id, name, parent_id, project_id, statements';

export class EmbeddedGraphs implements GraphStore {
  readonly #writes: Database['writes'];
  readonly #byName: StatementSync;
  readonly #isChild: StatementSync;
  readonly #children: StatementSync;
  readonly #childrenOfProject: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#byName = reader.prepare(`SELECT ${columns} FROM graphs WHERE graph_id = ?`);
    this.#isChild = reader.prepare('SELECT 1 FROM graphs WHERE id = ? AND parent_id IS ?');
    this.#children = reader.prepare(
      `SELECT ${columns} FROM graphs WHERE parent_id IS ? AND id > ? ORDER BY id LIMIT ?`,
    );
    this.#childrenOfProject = reader.prepare(
      `SELECT ${columns} FROM graphs WHERE project_id = ? AND parent_id IS ? AND id > ? ORDER BY id LIMIT ?`,
    );
  }

  async add({ graphId, name, parentId, projectId }: Graph): Promise<'added' | 'exists'> {
    return await this.#writes.run('addGraph', { graphId, name, parentId, projectId });
  }

  async get(graphId: string): Promise<Graph | undefined> {
    const row = this.#byName.get(graphId);
    return row && graphOf(row);
  }

  async children(parentId: string | null, page: Page, { projects }: Visibility): Promise<GraphPage> {
    const after = page.after === null ? 0 : this.#readCursor(page.after, parentId);
    const wanted = page.limit + 1;
    const rows =
      projects === 'all'
        ? this.#children.all(parentId, after, wanted)
        : await this.#childrenOfProjects(projects, parentId, after, wanted);
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      graphs: shown.map((row) => ({ ...graphOf(row), statements: Number(row.statements) })),
      ...(last && rows.length > page.limit && { next: cursor(last) }),
    };
  }

  async #childrenOfProjects(
    projects: ReadonlySet<string>,
    parentId: string | null,
    after: number,
    wanted: number,
  ): Promise<Row[]> {
    let found: Row[] = [];
    let asked = 0;
    for (const project of projects) {
      found.push(...this.#childrenOfProject.all(project, parentId, after, wanted));
      if (++asked % projectsAtOnce > 0) continue;
      found = oldest(found, wanted);
      await setImmediate();
    }
    return oldest(found, wanted);
  }

  #readCursor(text: string, parentId: string | null): number {
    const id = /^g[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : 0;
    if (cursor({ id }) === text && this.#isChild.get(id, parentId)) return id;
    throw new ServiceError('invalid_request', 'The cursor is none that this list has answered.');
  }
}

function oldest(rows: Row[], wanted: number): Row[] {
  return rows.sort((a, b) => Number(a.id) - Number(b.id)).slice(0, wanted);
}

function cursor(row: Row): string {
  return `g${Number(row.id).toString(36)}`;
}

export function graphOf(row: Row): Graph {
  return {
    graphId: String(row.graph_id),
    name: String(row.name),
    parentId: row.parent_id === null ? null : String(row.parent_id),
    projectId: String(row.project_id),
  };
}
