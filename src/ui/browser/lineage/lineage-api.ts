import type { FoundStatementsAnswer } from '../../../contract/integrity/findings.ts';
import { bareId } from '../../../contract/words/text.ts';
import { ask, askJson } from '../api.ts';
import type { Lineage } from './graph.ts';
import type { Question } from './question.ts';

export async function askLineage(
  id: string,
  { direction, depth, graphId, retracted }: Question,
  signal: AbortSignal,
): Promise<Lineage> {
  const query = new URLSearchParams({
    direction,
    depth: String(depth),
    ...(graphId && { graph_id: graphId }),
    ...(retracted && { include_retracted: 'true' }),
  });
  return await askJson(`/lineage/v1/${encodeURIComponent(id)}?${query}`, { signal });
}

/** The id of the newest metadata document that is registered for an identifier. */
export async function askMetadataOf(id: string): Promise<string | undefined> {
  const query = new URLSearchParams({ type: 'MetadataRegistration', subject: id, limit: '1' });
  const { statements } = await askJson<FoundStatementsAnswer>(`/statements/v1?${query}`);
  const metadata = statements[0]?.statement.metadata;
  return metadata === undefined ? undefined : String(metadata);
}

/** Larger documents are not read for names. */
const documentBytes = 16_384;

/** A JSON object that is stored as a blob; undefined if it is too long or not an object. */
export async function askDocument(id: string): Promise<Record<string, unknown> | undefined> {
  const response = await ask(blobAddress(id), { headers: { range: `bytes=0-${documentBytes - 1}` } });
  const value = await response.json().catch(() => undefined);
  return typeof value === 'object' && !Array.isArray(value) && value !== null ? value : undefined;
}

/** Whether it is the CID of a JSON document (RFC 8785). */
export function isDocument(id: string): boolean {
  return id.startsWith('urn:cid:baga6yaq6');
}

export function statementAddress(id: string): string {
  return `/statements/v1/id/${encodeURIComponent(id)}`;
}

export function blobAddress(id: string): string {
  return `/store/v1/blob/${encodeURIComponent(bareId(id))}`;
}

export function findAddress(id: string): string {
  return `/cid/v1/find/${encodeURIComponent(id)}`;
}
