import { z } from '@hono/zod-openapi';
import { parseCid } from '../../domain/integrity/cid.ts';
import { parseUuid } from '../../domain/integrity/identifiers.ts';

/** Runs a domain reader inside of a schema; its refusal passes through as it is. */
function read<Value>(reader: (text: string) => Value) {
  return (text: string) => reader(text);
}

/** A CID, bare or after `urn:cid:`; read into its parts. */
export const cidParameter = z
  .string()
  .max(300)
  .openapi({
    description: 'A CID, bare or after urn:cid:',
    example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu',
  })
  .transform(read(parseCid));

export const uuidField = (name: string) =>
  z
    .string()
    .max(100)
    .openapi({ format: 'uuid', description: 'A UUID, bare or after urn:uuid:' })
    .transform(read((text) => parseUuid(text, name)));

export const cidText = z
  .string()
  .openapi({ example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu' });

export const jsonObject = z.record(z.string(), z.unknown());

/** Text of a query that means a boolean. */
export const booleanParameter = z.enum(['true', 'false']).transform((text) => text === 'true');

export function jsonAnswer(description: string, schema: z.ZodType) {
  return { description, content: { 'application/json': { schema } } };
}
