/** @import { Lineage } from './graph.js' */
import { ask, askJson } from '../api.js';
import { bareId } from '../words.js';

/**
 * @param {string} id
 * @param {{ direction: string, depth: number, graphId: string | null }} question
 * @param {AbortSignal} signal
 * @returns {Promise<Lineage>}
 */
export async function askLineage(id, { direction, depth, graphId }, signal) {
  const query = new URLSearchParams({
    direction,
    depth: String(depth),
    ...(graphId && { graph_id: graphId }),
  });
  return await askJson(`/lineage/v1/${encodeURIComponent(id)}?${query}`, { signal });
}

/** @param {string} id */
export async function askStatement(id) {
  return await askJson(statementAddress(id));
}

/**
 * The newest metadata that is registered for an identifier.
 * @param {string} id
 * @returns {Promise<string | undefined>} the id of the document
 */
export async function askMetadataOf(id) {
  const query = new URLSearchParams({ type: 'MetadataRegistration', subject: id, limit: '1' });
  const { statements } = await askJson(`/statements/v1?${query}`);
  return statements[0]?.statement.metadata;
}

/** Larger documents are not read for names. */
const documentBytes = 16_384;

/**
 * A JSON object that is stored as a blob.
 * @param {string} id
 * @returns {Promise<Record<string, unknown> | undefined>} undefined if it is missing, too long or not an object
 */
export async function askDocument(id) {
  const response = await ask(blobAddress(id), { headers: { range: `bytes=0-${documentBytes - 1}` } });
  try {
    const value = JSON.parse(await response.text());
    return typeof value === 'object' && !Array.isArray(value) && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} id */
export function statementAddress(id) {
  return `/statements/v1/id/${encodeURIComponent(id)}`;
}

/** @param {string} id */
export function blobAddress(id) {
  return `/store/v1/blob/${encodeURIComponent(bareId(id))}`;
}

/** @param {string} id */
export function findAddress(id) {
  return `/cid/v1/find/${encodeURIComponent(id)}`;
}
