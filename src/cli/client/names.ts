import { namesAnswer, type namesBody } from '../../contract/integrity/findings.ts';
import { referenceIdentifier } from '../../domain/integrity/identifiers/identifiers.ts';
import { documentLimit, nameInDocument } from '../../domain/integrity/names/name.ts';
import { type ApiClient, ApiRefusal, answerBytes, answerJson, jsonBody } from './api-client.ts';

const idsAtOnce = 1_000;

/**
 * The names of identifiers, as statements write these. If the service refuses to answer there are none, because names
 * only help to read.
 */
export async function askNames(client: ApiClient, ids: readonly string[]) {
  const known = [...new Set(ids)].filter((id) => referenceIdentifier(id) !== undefined);
  const found = new Map<string, string>();
  for (let at = 0; at < known.length; at += idsAtOnce) {
    const request = jsonBody<typeof namesBody>({ ids: known.slice(at, at + idsAtOnce) });
    const response = await unlessRefused(client.send('POST', '/names/v1', request));
    if (!response) break;
    for (const [id, name] of Object.entries((await answerJson(response, namesAnswer)).names))
      found.set(id, name);
  }
  return found;
}

/** The name that a stored JSON document has in itself. */
export async function askNameInside(client: ApiClient, id: string): Promise<string | undefined> {
  const headers = { range: `bytes=0-${documentLimit}` };
  const path = `/store/v1/blob/${encodeURIComponent(id)}`;
  const response = await unlessRefused(client.send('GET', path, { headers }));
  return response && nameInDocument(Buffer.concat(await Array.fromAsync(answerBytes(response))));
}

async function unlessRefused(response: Promise<Response>): Promise<Response | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiRefusal) return undefined;
    throw error;
  }
}
