import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { GraphAttachments } from '../../integrity/manifest/ports.ts';
import type { Graph } from '../../integrity/ports.ts';
import { fsckGraphs } from '../fsck/graphs.ts';
import type { StoreProblem } from '../fsck/ports.ts';
import { messageOfDamage } from '../fsck/problems.ts';
import type { MigrationCounts, MigrationSource, MigrationTarget } from './ports.ts';

/**
 * Refuses a target in which graphs of these ids are other ones, or have something that those of the source have not.
 * @throws ServiceError `conflict`.
 */
export async function demandRoom(source: MigrationSource, target: MigrationTarget): Promise<void> {
  for await (const page of source.graphs()) {
    for (const graph of page) {
      const known = await target.graphs.get(graph.graphId);
      if (!known) continue;
      await demandSameGraph(source, target, graph, known);
      await demandNothingElse(source, target, graph.graphId);
    }
  }
}

/** Registers the graphs, in their order, with the documents that came with them. @returns how many are new. */
export async function bringGraphs(
  source: MigrationSource,
  target: MigrationTarget,
  onGraph: (done: number) => void,
): Promise<{ readonly graphs: number; readonly stored: number }> {
  const counts = { graphs: 0, stored: 0 };
  for await (const page of source.graphs()) {
    for (const graph of page) {
      const known = await target.graphs.get(graph.graphId);
      if (known) await demandSameGraph(source, target, graph, known);
      else if (await add(target, graph, await attachmentsOf(source, graph.graphId))) counts.stored += 1;
      counts.graphs += 1;
      onGraph(counts.graphs);
    }
  }
  return counts;
}

/** Damage of graphs, which are brought as they are: without them nothing would show their statements. */
export async function* damagedGraphs(
  source: MigrationSource,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  for await (const problem of fsckGraphs(source, () => undefined)) {
    counts.damaged += 1;
    yield { ...problem, problem: `Brought as it is: ${problem.problem}` };
  }
}

/** A list that cannot be read any more has nothing. */
async function attachmentsOf(source: MigrationSource, graphId: string): Promise<GraphAttachments> {
  try {
    return await source.attachments(graphId);
  } catch (error) {
    messageOfDamage(error);
    return { contexts: [], anchors: [] };
  }
}

async function add(target: MigrationTarget, graph: Graph, attachments: GraphAttachments): Promise<boolean> {
  if (attachments.contexts.length + attachments.anchors.length === 0)
    return (await target.graphs.add(graph)) === 'added';
  const coming = await target.graphImports.begin(graph.projectId);
  try {
    if ((await coming.publish(graph, attachments)) === 'added') return true;
    return refuse(graph.graphId, 'was registered by somebody else meanwhile');
  } finally {
    await coming.abandon();
  }
}

async function demandSameGraph(
  source: MigrationSource,
  target: MigrationTarget,
  graph: Graph,
  known: Graph,
): Promise<void> {
  const isSame = (['name', 'parentId', 'projectId'] as const).every((field) => graph[field] === known[field]);
  if (!isSame) refuse(graph.graphId, 'is another one there, with another name, parent or project');
  const has = await target.graphContents.attachments([graph.graphId], everythingVisible);
  const wanted = await attachmentsOf(source, graph.graphId);
  if (attachmentsText(has) !== attachmentsText(wanted))
    refuse(graph.graphId, 'has other contexts or anchors there');
}

/** In an order of their own: stores differ in how they compare URLs. */
function attachmentsText({ contexts, anchors }: GraphAttachments): string {
  return JSON.stringify([contexts.map(({ url, cid }) => `${url} ${cid}`).sort(), anchors]);
}

async function demandNothingElse(
  { graphContents }: MigrationSource,
  target: MigrationTarget,
  graphId: string,
): Promise<void> {
  for await (const rows of target.graphContents.statements([graphId], everythingVisible)) {
    const forms = rows.map(({ jcsCid }) => jcsCid);
    if ((await graphContents.count(graphId, forms)) < forms.length)
      refuse(graphId, 'has statements there that it does not have here');
  }
}

function refuse(graphId: string, reason: string): never {
  throw new ServiceError(
    'conflict',
    `The graph ${graphId} ${reason}: the target has content of its own. Choose another database or folder.`,
  );
}
