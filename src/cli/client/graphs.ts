import {
  type CountedGraphAnswer,
  graph,
  graphList,
  graphNameLength,
  graphWithChildren,
  type newGraph,
} from '../../contract/integrity/graphs.ts';
import { uuidIn } from '../../domain/integrity/identifiers/identifiers.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import { cutLine } from '../terminal/identifier.ts';
import { printableLine } from '../terminal/output.ts';
import { type ApiClient, ApiRefusal, answerJson, jsonBody } from './api-client.ts';
import type { ClientSettings } from './client-settings.ts';

type Count = Pick<CountedGraphAnswer, 'statements' | 'statements_is_more'>;

const pageSize = 1_000;
const listed = 20;

/** @throws ApiRefusal `conflict` if the id is taken. */
export async function registerGraph(
  client: ApiClient,
  { graphId, name, parentId }: { graphId: string; name: string; parentId?: string | undefined },
): Promise<CountedGraphAnswer> {
  if (name.trim() === '') failUsage('The name of the graph is empty.');
  if (name.length > graphNameLength)
    failUsage(`The name of the graph has ${name.length} characters, and the limit is ${graphNameLength}.`);
  const request = jsonBody<typeof newGraph>({ graph_id: graphId, name, parent_id: parentId });
  return await answerJson(await client.send('PUT', '/graph/v1', request), graph);
}

/** The root graphs (null), or a graph with its children, with counts. */
export async function readGraphs(client: ApiClient, graphId: string | null) {
  const path = graphId === null ? '/graph/v1' : `/graph/v1/${graphId}`;
  const graphs: CountedGraphAnswer[] = [];
  const schema = graphId === null ? graphList : graphWithChildren;
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
    const page = await answerJson(await client.send('GET', `${path}?${query}`), schema);
    graphs.push(...page.graphs);
    cursor = page.next_cursor;
    if (cursor === undefined) return { graph: 'graph' in page ? page.graph : undefined, graphs };
  }
}

/**
 * The UUID of the graph that a person names by its UUID or its name.
 * @throws Failure (no) if no graph has the name, (usage) if several have it.
 */
export async function graphIdOf(client: ApiClient, text: string): Promise<string> {
  const uuid = uuidIn(text);
  if (uuid !== undefined) return uuid;
  if (text === '') failUsage('The name of the graph is empty.');
  const query = new URLSearchParams({ name: text, limit: String(listed) });
  const { graphs } = await answerJson(await client.send('GET', `/graph/v1?${query}`), graphList);
  const [only, ...others] = graphs;
  if (!only)
    failNo(
      `No graph is called "${text}". "cairn graph list" shows the graphs, and "cairn graph create" makes one.`,
    );
  if (others.length === 0) return only.graph_id;
  const ids = graphs.map(({ graph_id }) => `  ${graph_id}\n`).join('');
  return failUsage(`Several graphs are called "${text}". Name one by its UUID:\n${ids.trimEnd()}`);
}

/** The graph of `--graph`, otherwise the one of the folder, otherwise null. */
export async function chosenGraph(
  client: ApiClient,
  { folderFile }: Pick<ClientSettings, 'folderFile'>,
  flag: string | undefined,
): Promise<string | null> {
  return flag === undefined ? (folderFile?.graph ?? null) : await graphIdOf(client, flag);
}

/** The number of statements that no graph contains. Undefined if the service does not say it. */
export async function statementsInNoGraph(client: ApiClient): Promise<Count | undefined> {
  try {
    const response = await client.send('GET', '/graph/v1?limit=1&in_no_graph=true');
    return (await answerJson(response, graphList)).in_no_graph;
  } catch (error) {
    if (error instanceof ApiRefusal) return undefined;
    throw error;
  }
}

export function countText({ statements, statements_is_more: isMore }: Count): string {
  if (statements === undefined) return '-';
  return `${statements.toLocaleString('en')}${isMore ? ' or more' : ''}`;
}

export function nameText(name: string, most = 60): string {
  return cutLine(printableLine(name), most);
}
