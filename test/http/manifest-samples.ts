import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Asked, answerOf, send } from './service.ts';

/** A new root graph. */
export async function newGraph(service: Asked, more: Record<string, unknown> = {}): Promise<string> {
  const graph_id = randomUUID();
  const answer = await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph', ...more });
  expect(answer.status).toBe(201);
  return graph_id;
}

/** Stores statements in a graph, and returns their ids. */
export async function putStatements(
  service: Asked,
  graph_id: string | undefined,
  statements: readonly object[],
): Promise<string[]> {
  const body = { statements, generate_id: true, graph_id };
  const answer = await send(service, 'PUT', '/statements/v1/batch', body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json.results.map(({ statement_id }: { statement_id: string }) => statement_id);
}

export const everything = 'include_context=true&include_blobs=true';
export const carType = 'application/vnd.ipld.car';

export async function exportBytes(service: Asked, query: string, type = 'application/json'): Promise<Buffer> {
  const response = await service.app.request(`/manifest/v1?${query}`, { headers: { accept: type } });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, bytes.toString().slice(0, 500)).toBe(200);
  return bytes;
}

export async function importBytes(
  service: Asked,
  manifest: Uint8Array | string | object,
  query = '',
  type = 'application/json',
) {
  const body =
    typeof manifest === 'string' || manifest instanceof Uint8Array ? manifest : JSON.stringify(manifest);
  const init = { method: 'POST', headers: { 'content-type': type }, body };
  return await answerOf(await service.app.request(`/manifest/v1?${query}`, init as RequestInit));
}
