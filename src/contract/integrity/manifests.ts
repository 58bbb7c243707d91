import { z } from 'zod';
import { booleanParameter } from '../parameters.ts';
import { patterns } from '../patterns.ts';
import { jsonObject, longestWait, preferHeader, uuidField, uuidText } from '../values.ts';

export const manifest = z
  .object({
    version: z.literal('3'),
    contexts: z.record(z.string(), jsonObject),
    statements: z.record(z.string(), jsonObject),
    blobs: z
      .record(z.string(), z.string().meta({ format: 'byte', pattern: patterns.base64 }))
      .describe('Base64 of each blob, by CID'),
    anchors: z.array(jsonObject).optional(),
    complete: z
      .literal(true)
      .optional()
      .describe('It has exactly the statements of the logs that its anchors cover'),
  })
  .meta({ id: 'Manifest' });

const counts = z.object({ stored: z.int(), known: z.int() });
export const importedManifest = z
  .object({
    graph_id: uuidText,
    statements: counts,
    blobs: counts,
    contexts: z.int(),
    unverified_contexts: z.array(z.string()).describe('URLs of contexts that only the manifest vouches for'),
  })
  .meta({ id: 'ImportedManifest' });

const time = z.iso.datetime().nullable();

/** The state of an asynchronous export. */
export const manifestExport = z
  .object({
    export_id: uuidText,
    state: z.enum(['waiting', 'running', 'done', 'failed']),
    format: z.enum(['json', 'car']),
    created_at: z.iso.datetime(),
    finished_at: time,
    expires_at: time.describe('When the state and the result are removed'),
    statements: z.int().describe('Number of statements gathered so far'),
    blobs: z.int().nullable().describe('Number of blobs in the manifest; null until known'),
    bytes: z.int().describe('Bytes written so far; in the end, the size of the manifest'),
    missing_blobs: z
      .object({ count: z.int(), cids: z.array(z.string()).describe('The first 10,000 of them') })
      .nullable()
      .describe('Blobs that statements refer to and the manifest lacks; null until known'),
    left_out_statements: z.int(),
    later_statements: z
      .int()
      .optional()
      .describe('With include_proofs: statements that came after the head that is proved, and are left out'),
    result: z.string().nullable().describe('Path of the manifest when it is finished'),
    digest: z.hex().nullable().describe('BLAKE3-256 hash of the manifest in hex, which is also its ETag'),
    error: z.object({ code: z.string(), error: z.string() }).nullable(),
  })
  .meta({ id: 'ManifestExport' });

export type ManifestExportAnswer = z.output<typeof manifestExport>;

const graphsLimit = 1_000;

const flag = (description: string) => booleanParameter.default(false).describe(description);

const graphList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(z.array(uuidField).max(graphsLimit));

/** Unknown parameters are refused, because a misspelt `graph_ids` would export all graphs. */
export const manifestQuery = z.strictObject({
  graph_ids: graphList.optional().meta({
    type: 'array',
    maxItems: graphsLimit,
    items: { type: 'string', format: 'uuid' },
    description:
      'Repeat it, or separate ids by commas. Default: all graphs that the caller may view, and statements in no graph for callers who see every project',
  }),
  include_context: flag('Include the context documents of the statements'),
  include_blobs: flag('Include the blobs that the statements refer to'),
  include_descendants: flag('Include the descendants of the given graphs'),
  include_proofs: flag(
    'Include proofs that the manifest has exactly the statements that the log of each graph has at a published head. Waits at most 10 seconds for statements that are not published yet',
  ),
});

export const importQuery = z.strictObject({
  graph_id: uuidField.optional(),
  name: z.string().min(1).max(500).default('Imported manifest'),
  parent_id: uuidField.optional(),
});

export const exportHeaders = preferHeader(
  'respond-async: answer 202 at once, or with wait=10 when the export has ended, or after 10 seconds (RFC 7240)',
);

export const waitHeaders = preferHeader(
  `wait=10: answer when the export has ended, or after 10 seconds (RFC 7240), up to ${longestWait}`,
);

export const exportParams = z.object({ id: uuidField });
