import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { GraphAttachments } from '../../integrity/manifest/ports.ts';
import type { Graph } from '../../integrity/ports.ts';
import type { StoreContents } from '../contents.ts';
import { fsckGraphs } from '../fsck/graphs.ts';
import { messageOfDamage, type StoreProblem } from '../problems.ts';
import type { Migration, MigrationRun, MigrationTarget } from './run.ts';

type Stores = Pick<Migration, 'source' | 'target'>;

/** Refuses a target with different graphs under the same ids. @throws ServiceError `conflict`. */
export async function assertSameGraphs({ source, target }: Stores): Promise<void> {
  for await (const graph of source.graphs()) {
    const known = await target.graphs.get(graph.graphId);
    if (!known) continue;
    const isSame = (['name', 'parentId', 'projectId'] as const).every(
      (field) => graph[field] === known[field],
    );
    if (!isSame) fail(graph.graphId, 'has another name, parent or project there');
    const has = await target.graphContents.attachments([graph.graphId], everythingVisible);
    if (attachmentsText(has) !== attachmentsText(await attachmentsOf(source, graph.graphId)))
      fail(graph.graphId, 'has other contexts or anchors there');
  }
}

/**
 * Registers the graphs in their order, with their contexts and anchors. Damaged graphs are copied unchanged: without
 * them nothing would show their statements.
 */
export async function* copyGraphs(run: MigrationRun): AsyncGenerator<StoreProblem> {
  const { source, counts } = run;
  for await (const problem of fsckGraphs(source, () => undefined)) {
    counts.damaged += 1;
    yield { ...problem, problem: `Copied unchanged: ${problem.problem}` };
  }
  for await (const graph of source.graphs()) await copyGraph(run, graph);
}

/** Copies graphs, and their parents, that were registered after `copyGraphs` had listed them. */
export async function copyLateGraphs(run: MigrationRun, graphIds: Iterable<string>): Promise<void> {
  for (const graphId of graphIds) {
    const graph = run.copiedGraphs.has(graphId) ? undefined : await run.source.graph(graphId);
    if (!graph) continue;
    await copyGraph(run, graph);
    if (graph.parentId !== null) await copyLateGraphs(run, [graph.parentId]);
  }
}

async function copyGraph({ source, target, counts, count, copiedGraphs }: MigrationRun, graph: Graph) {
  const isKnown = (await target.graphs.get(graph.graphId)) !== undefined;
  if (!isKnown) {
    await add(target, graph, await attachmentsOf(source, graph.graphId));
    counts.stored += 1;
  }
  copiedGraphs.add(graph.graphId);
  count('graphs', 1);
}

/** A damaged list is copied as an empty one. */
async function attachmentsOf(source: StoreContents, graphId: string): Promise<GraphAttachments> {
  try {
    return await source.attachments(graphId);
  } catch (error) {
    messageOfDamage(error);
    return { contexts: [], anchors: [] };
  }
}

async function add(target: MigrationTarget, graph: Graph, attachments: GraphAttachments): Promise<void> {
  if (attachments.contexts.length + attachments.anchors.length === 0)
    return void (await target.graphs.add(graph));
  const coming = await target.graphImports.begin(graph.projectId);
  try {
    if ((await coming.publish(graph, attachments)) !== 'added')
      fail(graph.graphId, 'was registered by another process meanwhile');
  } finally {
    await coming.abandon();
  }
}

/** Sorted, because stores compare URLs differently. */
function attachmentsText({ contexts, anchors }: GraphAttachments): string {
  return JSON.stringify([contexts.map(({ url, cid }) => `${url} ${cid}`).sort(), anchors]);
}

function fail(graphId: string, reason: string): never {
  throw new ServiceError(
    'conflict',
    `The graph ${graphId} ${reason}: the target has content of its own. Choose another database or folder.`,
  );
}
