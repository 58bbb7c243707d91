import type { Context } from 'hono';
import { ServiceError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json/is-object.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { assertContentType, readBody } from '../../../platform/http/body.ts';
import type { JsonLimits } from '../../parsed-request.ts';

export const credentialTypes = ['application/json', 'application/ld+json', 'application/vc'];
const mostBytes = 1 << 20;

/** A JSON object of at most 1 MiB, read strictly, with its text. */
export async function credentialBody(
  context: Context,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
): Promise<{ readonly value: JsonObject; readonly bytes: Uint8Array }> {
  assertContentType(context, credentialTypes, true);
  const bytes = await readBody(context, { bytes: mostBytes, setting: null });
  const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  return { value: value as JsonObject, bytes };
}
