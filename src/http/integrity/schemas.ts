import { z } from '@hono/zod-openapi';
import { parseCid } from '../../domain/integrity/identifiers/cid.ts';
import { parseIdentifier, parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';

/** Runs a domain reader inside of a schema; its refusal passes through as it is. */
function read<Value>(reader: (text: string) => Value) {
  return (text: string) => reader(text);
}

/** A CID, bare or after `urn:cid:`; read into its parts. */
export const cidParameter = z
  .string()
  .max(300)
  .openapi({
    description: 'A CID, with or without urn:cid:',
    example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu',
  })
  .transform(read(parseCid));

export const uuidField = (name: string) =>
  z
    .string()
    .max(100)
    .openapi({ format: 'uuid', description: 'A UUID, with or without urn:uuid:' })
    .transform(read((text) => parseUuid(text, name)));

/** A CID or UUID, bare or as a URN, or a DID; read into the spelling under which references are indexed. */
export const identifierParameter = z
  .string()
  .max(2_000)
  .openapi({
    description: 'A CID, a UUID (each with or without its URN prefix) or a DID',
    example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu',
  })
  .transform(read(parseIdentifier));

export const graphParameter = uuidField('graph_id')
  .optional()
  .describe('Show only what this graph itself holds, including statements with unverified contexts');

/** Marks a statement that came in with contexts that nobody could verify. */
export const unverified = z
  .literal(true)
  .optional()
  .describe('Its contexts came with a manifest and could not be verified');

export const cidText = z
  .string()
  .openapi({ example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu' });

export const jsonObject = z.record(z.string(), z.unknown());
