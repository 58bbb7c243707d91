import { z } from 'zod';
import { parseCid } from '../domain/integrity/identifiers/cid.ts';
import { parseIdentifier, parseUuid } from '../domain/integrity/identifiers/identifiers.ts';

const example = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';

/** Parsed by the domain. Its errors leave the schema unchanged. */
export const cidParameter = z
  .string()
  .max(300)
  .meta({ description: 'A CID, with or without urn:cid:', example })
  .transform((text) => parseCid(text));

export const uuidField = (name: string) =>
  z
    .string()
    .max(100)
    .meta({ format: 'uuid', description: 'A UUID, with or without urn:uuid:' })
    .transform((text) => parseUuid(text, name));

/** Read into the form in which references are indexed. */
export const identifierParameter = z
  .string()
  .max(2_000)
  .meta({ description: 'A CID, a UUID (each with or without its URN prefix) or a DID', example })
  .transform((text) => parseIdentifier(text));

export const graphParameter = uuidField('graph_id')
  .optional()
  .describe('Show only what this graph itself holds, including statements with unverified contexts');

export const unverified = z
  .literal(true)
  .optional()
  .describe('Its contexts came with a manifest and could not be verified');

export const cidText = z.string().meta({ example });

export const bytes = z.string().meta({ format: 'binary' });

export const plainText = z.string();

export const anyJson = z.unknown();

export const jsonObject = z.record(z.string(), z.unknown());

/**
 * For `z.string().regex`: a text without control characters. The pattern has no flag and no class that engines other than
 * this one's read otherwise.
 */
export const withoutControls = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
  /^[^\x00-\x1f\x7f-\x9f]*$/,
  'must not have control characters',
] as const;
