import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { cidIn } from '../../integrity/identifiers/cid.ts';
import type { GraphAttachments } from '../../integrity/manifest/ports.ts';
import type { Graph } from '../../integrity/ports.ts';
import type { StoreContents } from '../contents.ts';
import { lost, messageOfDamage, recordProblem, type StoreProblem } from '../problems.ts';

type Contents = Pick<StoreContents, 'graphs' | 'graph' | 'attachments' | 'blobs'>;

const rootedKept = 10_000;
const advice = 'Restore the store from a backup.';

const graphShape = z.object({
  graphId: z.uuid(),
  name: z.string().min(1),
  parentId: z.string().nullable(),
  projectId: z.string().min(1),
});

/** Follows each graph to its root, and looks for its context and anchor documents. */
export async function* fsckGraphs(contents: Contents, onGraph: () => void): AsyncGenerator<StoreProblem> {
  const rooted = new LRUCache<string, true>({ max: rootedKept });
  for await (const graph of contents.graphs()) {
    const problem = recordProblem(graphShape, graph) ?? (await ancestryProblem(contents, graph, rooted));
    if (problem !== undefined) yield lost('graph', graph.graphId, problem, advice);
    yield* missingAttachments(contents, graph);
    onGraph();
  }
}

/** @param rooted ids of graphs that lead to a root. */
async function ancestryProblem(
  contents: Pick<StoreContents, 'graph'>,
  { graphId, parentId, projectId }: Graph,
  rooted: LRUCache<string, true>,
): Promise<string | undefined> {
  const parent = parentId === null ? undefined : await contents.graph(parentId);
  if (parentId !== null && !parent) return `Its parent ${parentId} does not exist`;
  const passed = new Set([graphId]);
  for (let above = parent; above && !rooted.has(above.graphId); ) {
    if (passed.has(above.graphId)) return 'It is its own ancestor';
    passed.add(above.graphId);
    above = above.parentId === null ? undefined : await contents.graph(above.parentId);
  }
  for (const id of passed) rooted.set(id, true);
  if (parent && parent.projectId !== projectId)
    return `Its project is ${projectId}, and that of its parent is ${parent.projectId}`;
  return undefined;
}

async function* missingAttachments(contents: Contents, { graphId }: Graph): AsyncGenerator<StoreProblem> {
  let attachments: GraphAttachments;
  try {
    attachments = await contents.attachments(graphId);
  } catch (error) {
    return yield lost('attachment', graphId, messageOfDamage(error), advice);
  }
  const { contexts, anchors } = attachments;
  const named = [
    ...contexts.map(({ url, cid }) => ({ cid, what: `the context ${url}` })),
    ...anchors.map((cid) => ({ cid, what: 'an anchor' })),
  ];
  for (const { cid, what } of named) {
    const name = cidIn(cid);
    if (!name || (await contents.blobs.size(name)) === undefined)
      yield lost('attachment', graphId, `The document ${cid} of ${what} is missing`);
  }
}
