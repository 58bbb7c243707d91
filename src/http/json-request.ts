import type { Context } from 'hono';
import type { z } from 'zod';
import { envelopeLimit } from '../domain/json/split-envelope.ts';
import { parseStrictJson } from '../domain/json/strict-json.ts';
import { assertContentType, readBody } from '../platform/http/body.ts';
import { parsed } from './parsed.ts';

export interface JsonLimits {
  readonly maxJsonBytes: number;
  readonly maxJsonDepth: number;
}

const jsonTypes = ['application/json', 'application/ld+json'];

/** The bytes of a JSON body, not parsed yet. */
export async function jsonBody(
  context: Context,
  { maxJsonBytes }: Pick<JsonLimits, 'maxJsonBytes'>,
): Promise<Uint8Array> {
  assertContentType(context, jsonTypes, true);
  return await readBody(context, { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' });
}

/** The bytes of a body with one statement or JSON-LD document, not parsed yet. */
export async function statementBody(
  context: Context,
  { maxJsonBytes, maxStatementBytes }: JsonLimits & { readonly maxStatementBytes: number },
): Promise<Uint8Array> {
  const bytes = maxStatementBytes + envelopeLimit;
  if (bytes >= maxJsonBytes) return await jsonBody(context, { maxJsonBytes });
  assertContentType(context, jsonTypes, true);
  return await readBody(context, { bytes, setting: 'CAIRN_MAX_STATEMENT_BYTES' });
}

/** A JSON body of at most 64 KiB, unless another limit is given, read strictly and parsed by the schema that describes it. */
export async function parsedJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
  limit = envelopeLimit,
): Promise<z.output<Schema>> {
  assertContentType(context, jsonTypes, true);
  const bytes = await readBody(context, { bytes: limit, setting: null });
  return parsed(schema, parseStrictJson(bytes, { maxDepth, exactNumbers: false }), 'The body');
}

/** Like `parsedJsonBody`, but no body at all counts as an empty object. */
export async function parsedOptionalJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
): Promise<z.output<Schema>> {
  const bytes = await readBody(context, { bytes: envelopeLimit, setting: null });
  if (bytes.length === 0) return parsed(schema, {}, 'The body');
  assertContentType(context, jsonTypes, true);
  return parsed(schema, parseStrictJson(bytes, { maxDepth, exactNumbers: false }), 'The body');
}
