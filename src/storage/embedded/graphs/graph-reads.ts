import type { DatabaseSync } from 'node:sqlite';
import { isVisible } from '../../../domain/access/visibility.ts';
import type { GraphReads } from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { namingDamage } from '../errors.ts';
import type { Row } from '../statements/statement-rows.ts';

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
