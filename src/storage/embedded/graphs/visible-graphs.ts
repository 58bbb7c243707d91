import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../../domain/access/visibility.ts';
import type { Row } from '../statements/statement-rows.ts';

/** Graphs read before other work has its turn. */
const pageRows = 128;

/** Graphs as readers may see them. */
export class VisibleGraphs {
  readonly #byName: StatementSync;
  readonly #after: StatementSync;

  constructor(database: DatabaseSync) {
    this.#byName = database.prepare('SELECT id, project_id FROM graphs WHERE graph_id = ?');
    this.#after = database.prepare(
      `SELECT id, project_id FROM graphs WHERE id > ? ORDER BY id LIMIT ${pageRows}`,
    );
  }

  /** Their ids in the database, in the order of their registration. */
  async ids(graphIds: readonly string[] | null, { projects }: Visibility): Promise<number[]> {
    const rows = graphIds === null ? await this.#allGraphs() : this.#namedGraphs(graphIds);
    return rows
      .filter(({ project_id }) => projects === 'all' || projects.has(String(project_id)))
      .map(({ id }) => Number(id))
      .sort((one, other) => one - other);
  }

  #namedGraphs(graphIds: readonly string[]): Row[] {
    return [...new Set(graphIds)].flatMap((graphId) => {
      const row = this.#byName.get(graphId);
      return row ? [row] : [];
    });
  }

  async #allGraphs(): Promise<Row[]> {
    const found: Row[] = [];
    for (let page = this.#after.all(0); page.length > 0; page = this.#after.all(Number(found.at(-1)?.id))) {
      found.push(...page);
      await setImmediate();
    }
    return found;
  }
}
