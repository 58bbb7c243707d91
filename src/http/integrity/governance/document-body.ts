import type { Context } from 'hono';
import type { z } from 'zod';
import type { JsonReader } from '../../../domain/integrity/ports.ts';
import type { JsonObject } from '../../../domain/json/is-object.ts';
import { assertContentType, readBody } from '../../../platform/http/body.ts';
import { parsed } from '../../parsed-request.ts';

/** Larger documents would be parsed on the main thread for too long. */
const bodyLimit = 1 << 20;

export const tag = 'Governance';

/** A JSON body that becomes a document, read strictly and off the main thread. Null members count as absent. */
export async function documentBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { json }: { readonly json: Pick<JsonReader, 'jcs'> },
): Promise<{ fields: z.output<Schema>; document: JsonObject }> {
  assertContentType(context, ['application/json', 'application/ld+json'], true);
  const { text } = await json.jcs(await readBody(context, { bytes: bodyLimit, setting: null }));
  const body = JSON.parse(new TextDecoder().decode(text));
  const fields = parsed(schema, body, 'The body');
  const members = Object.entries(body).filter(([, value]) => value !== null);
  return { fields, document: Object.fromEntries(members) };
}
