import pMap from 'p-map';
import { z } from 'zod';
import { type ApiClient, ApiRefusal, answerJson } from '../../src/cli/client/api-client.ts';
import { selfNaming } from '../../src/cli/client/self-naming.ts';
import { storeBlobs } from '../../src/cli/client/store-blobs.ts';
import { actors, signers } from './actors.ts';
import { type GraphName, graphs } from './graphs.ts';
import type { Demo } from './statements.ts';

const results = z.object({ results: z.array(z.object({ statement_id: z.string() })) });
const json = { 'content-type': 'application/json' };
const requestsAtOnce = 8;

export interface StoredDemo {
  readonly statements: number;
  /** Statements of requests with something new. */
  readonly stored: number;
  readonly statementIds: Readonly<Record<GraphName, readonly string[]>>;
}

/** Stores the demo over HTTP. Existing content stays unchanged. */
export async function storeDemo(
  client: ApiClient,
  demo: Demo,
  tell: (line: string) => void,
): Promise<StoredDemo> {
  for (const graph of Object.values(graphs)) await registerGraph(client, graph);
  tell(`Storing ${demo.blobs.length} blobs and ${demo.documents.length} JSON documents.`);
  await client.send('PUT', '/store/v1/blob/batch', { body: () => formOf(demo.blobs) });
  const storeDocument = async (document: unknown) => {
    await client.send('PUT', '/store/v1/jcs', { headers: json, body: () => JSON.stringify(document) });
  };
  await pMap(demo.documents, storeDocument, { concurrency: requestsAtOnce });
  for (const did of Object.values(actors)) {
    await client.send('PUT', `/statements/v1/create/did/${did}?graph_id=${graphs.governance.graph_id}`);
  }
  await nameActors(client, demo.latest);
  let stored = 0;
  const ids: Record<GraphName, string[]> = { sources: [], build: [], release: [], governance: [] };
  for (const [name, statements] of Object.entries(demo.statements) as [GraphName, readonly object[]][]) {
    tell(`Registering ${statements.length} statements in the graph "${graphs[name].name}".`);
    const request = { generate_id: true, graph_id: graphs[name].graph_id, issue_vc: name === 'release' };
    const body = JSON.stringify({ ...request, statements });
    const response = await client.send('PUT', '/statements/v1/batch', { headers: json, body: () => body });
    if (response.status === 201) stored += statements.length;
    ids[name] = (await answerJson(response, results)).results.map(({ statement_id }) => statement_id);
  }
  const dids = Object.keys(actors).length;
  return { statements: Object.values(ids).flat().length + dids, stored, statementIds: ids };
}

async function nameActors(client: ApiClient, at: string): Promise<void> {
  for (const [role, signer] of Object.entries(signers)) {
    const { document, statements } = await selfNaming(signer, `The ${role} of the demo`, new Date(at));
    await storeBlobs(client, [document]);
    const body = `{"graph_id":"${graphs.governance.graph_id}","statements":[${statements.join()}]}`;
    await client.send('PUT', '/statements/v1/batch', { headers: json, body: () => body });
  }
}

/** @returns whether the graph is new. */
export async function registerGraph(client: ApiClient, graph: object): Promise<boolean> {
  try {
    await client.send('PUT', '/graph/v1', { headers: json, body: () => JSON.stringify(graph) });
    return true;
  } catch (error) {
    const isThere = error instanceof ApiRefusal && error.status === 409;
    if (!isThere) throw error;
    return false;
  }
}

function formOf(blobs: Demo['blobs']): FormData {
  const form = new FormData();
  for (const { name, bytes } of blobs) form.append(name, new Blob([Uint8Array.from(bytes)]), 'blob');
  return form;
}
