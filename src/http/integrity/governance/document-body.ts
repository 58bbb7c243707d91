import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { cidParameter } from '../../../contract/values.ts';
import type { Json } from '../../../domain/integrity/governance/documents.ts';
import { parseDid } from '../../../domain/integrity/identifiers/did-key.ts';
import type { JsonReader } from '../../../domain/integrity/ports.ts';
import { demandContentType, readBody } from '../../../platform/http/body.ts';
import { parsed } from '../../parsed.ts';

/** Larger documents would be parsed on the main thread for too long. */
const bodyLimit = 1 << 20;
const listLimit = 1_000;

export const tag = 'Governance';
export const cidList = z.array(cidParameter).max(listLimit).nullish();

export const didField = (name: string) =>
  z
    .string()
    .max(2_000)
    .openapi({ example: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp' })
    .transform((text) => parseDid(text, name));

export const dateText = z.string().max(100);

/** A JSON body that becomes a document, read strictly and off the main thread. Null members count as absent. */
export async function documentBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { json }: { readonly json: Pick<JsonReader, 'jcs'> },
): Promise<{ fields: z.output<Schema>; document: Json }> {
  demandContentType(context, ['application/json', 'application/ld+json'], true);
  const { text } = await json.jcs(await readBody(context, { bytes: bodyLimit, setting: null }));
  const body = JSON.parse(new TextDecoder().decode(text));
  const fields = parsed(schema, body, 'The body');
  const members = Object.entries(body).filter(([, value]) => value !== null);
  return { fields, document: Object.fromEntries(members) };
}
