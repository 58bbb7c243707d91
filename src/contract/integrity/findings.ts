import { z } from 'zod';
import { nextCursor, pageOf, paging } from '../paging.ts';
import { timeRange } from '../parameters.ts';
import {
  cidText,
  graphParameter,
  identifierParameter,
  jsonObject,
  startOfName,
  unverified,
  uuidText,
} from '../values.ts';
import { trust } from './trust.ts';

export const findParams = z.object({ cid: identifierParameter });

export const findQuery = paging.extend({ graph_id: graphParameter });

export const findings = z
  .object({
    cid: z.string().describe('The requested identifier, without urn:cid: or urn:uuid:'),
    blob: z
      .object({ size: z.int(), codec: z.string().describe('The codec in the requested CID') })
      .nullable(),
    statements: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        role: z
          .string()
          .describe('The field that holds the identifier; self for the statement that it names'),
        graph_ids: z.array(uuidText),
        trust,
        unverified,
      }),
    ),
    variants: z
      .array(cidText)
      .optional()
      .describe('If the identifier names a statement: the jcs_cids of all its JSON forms'),
    folders: z
      .array(z.object({ collection: cidText, path: z.string().describe('Of the file in the folder') }))
      .optional()
      .describe('On the first page: up to 20 folders of which this is a file'),
    files: z.int().optional().describe('On the first page: how many files this folder has'),
    credentials: z
      .array(z.string())
      .describe('Ids of the credentials among these statements; the statement id if a credential has no id'),
    graphs: z.array(uuidText).describe('Graphs that hold these statements'),
    next_cursor: nextCursor,
  })
  .meta({ id: 'Findings' });

export const searchQuery = paging.extend({
  type: z.string().min(1).max(300).optional().describe('The @type'),
  subject: identifierParameter
    .optional()
    .describe('The subject. For a credential, the subject of the credential or its envelope'),
  registered_by: identifierParameter
    .optional()
    .meta({ description: 'The DID in registeredBy', example: 'did:web:example.org' }),
  name: startOfName(
    'The start of the name that a MetadataRegistration gives, in any case. Sorted by name',
    'model',
  ),
  graph_id: graphParameter,
  ...timeRange,
});

const foundStatement = z.object({
  id: z.string(),
  jcs_cid: cidText,
  type: z.string(),
  graph_ids: z.array(uuidText),
  trust,
  statement: jsonObject,
  unverified,
});

export const foundStatements = pageOf({ statements: z.array(foundStatement) }).meta({
  id: 'FoundStatements',
});

const mostIds = 1_000;

export const namesBody = z.object({
  ids: z.array(identifierParameter).max(mostIds),
  graph_id: graphParameter,
});

export const namesAnswer = z
  .object({
    names: z.record(z.string(), z.string()).meta({
      example: { 'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu': 'model.bin' },
    }),
  })
  .meta({ id: 'Names' });

export type FindingsAnswer = z.output<typeof findings>;
export type FoundStatementAnswer = z.output<typeof foundStatement>;
export type FoundStatementsAnswer = z.output<typeof foundStatements>;
export type NamesAnswer = z.output<typeof namesAnswer>;
