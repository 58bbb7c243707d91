import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { parseStrictJson } from '../domain/json/strict-json.ts';
import { demandContentType, readBody } from '../platform/http/body.ts';
import { parsed } from './parsed.ts';

export interface JsonLimits {
  readonly maxJsonBytes: number;
  readonly maxJsonDepth: number;
}

const jsonTypes = ['application/json', 'application/ld+json'];

/** The bytes of a JSON body, not parsed yet. */
export async function jsonBody(context: Context, { maxJsonBytes }: JsonLimits): Promise<Uint8Array> {
  demandContentType(context, jsonTypes, true);
  return await readBody(context, { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' });
}

/** A JSON body, read strictly and parsed by the schema that describes it. */
export async function parsedJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  limits: JsonLimits,
): Promise<z.output<Schema>> {
  const bytes = await jsonBody(context, limits);
  return parsed(
    schema,
    parseStrictJson(bytes, { maxDepth: limits.maxJsonDepth, exactNumbers: false }),
    'The body',
  );
}
