import { z } from 'zod';
import { parseCid } from '../domain/integrity/identifiers/cid.ts';
import { parseIdentifier, uuidIn } from '../domain/integrity/identifiers/identifiers.ts';
import { nameLimit } from '../domain/integrity/names/name.ts';
import { patterns } from './patterns.ts';

const example = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';

/** Parsed by the domain. Its errors leave the schema unchanged. */
export const cidParameter = z
  .string()
  .max(300)
  .meta({ description: 'A CID, with or without urn:cid:', example, pattern: patterns.cid })
  .transform((text) => parseCid(text));

/** A UUID from a caller, read into lower case. */
export const uuidField = z
  .string()
  .max(100)
  .refine((text) => uuidIn(text) !== undefined, {
    error: ({ input }) => `${JSON.stringify(String(input).slice(0, 80))} is not a UUID`,
  })
  .meta({ format: 'uuid', description: 'A UUID, with or without urn:uuid:' })
  .transform((text) => uuidIn(text) ?? text);

/** A UUID in an answer. Callers choose some of them, so their version can be anything. */
export const uuidText = z.guid().meta({ format: 'uuid' });

/** The id of a statement, or one of its CIDs, as text. */
export const statementCid = z.string().max(300).meta({ pattern: patterns.cid });

/** Read into the form in which references are indexed. */
export const identifierParameter = z
  .string()
  .max(2_000)
  .meta({
    description: 'A CID, a UUID (each with or without its URN prefix) or a DID',
    example,
    pattern: patterns.identifier,
  })
  .transform((text) => parseIdentifier(text));

/** An identifier, or the id of a node of a lineage that is drawn once in each graph. */
export const nodeParameter = z
  .string()
  .max(2_000)
  .meta({
    description: 'A CID, a UUID (each with or without its URN prefix), a DID, or the id of a node',
    example,
    pattern: patterns.node,
  })
  .transform((text) => {
    const [, cid, graph] = /^((?:urn:cid:)?b[a-z2-7]+)#([0-9a-f-]{36})$/i.exec(text) ?? [];
    return cid && graph ? `${parseIdentifier(cid)}#${graph.toLowerCase()}` : parseIdentifier(text);
  });

export const graphParameter = uuidField
  .optional()
  .describe('Show only what this graph itself holds, including statements with unverified contexts');

/** A parameter by which a list is searched, and then sorted. */
export function startOfName(description: string, example: string) {
  return z
    .string()
    .refine((text) => text.trim() !== '', 'must have a character')
    .max(nameLimit)
    .optional()
    .meta({ pattern: patterns.notBlank, description, example });
}

export const unverified = z
  .literal(true)
  .optional()
  .describe('Its contexts came with a manifest and could not be verified');

export const cidText = z.string().meta({ example });

export const bytes = z.string().meta({ format: 'binary' });

export const plainText = z.string();

export const anyJson = z.unknown();

export const jsonObject = z.record(z.string(), z.unknown());

/** A request is not held longer, because something in between may take it for dead. */
export const longestWait = 30;

export const preferHeader = (description: string) =>
  z.object({ Prefer: z.string().optional().describe(description) });
