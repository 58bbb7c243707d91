import { z } from 'zod';
import { jsonObject } from './values.ts';

export const manifest = z
  .object({
    version: z.literal('3'),
    contexts: z.record(z.string(), jsonObject),
    statements: z.record(z.string(), jsonObject),
    blobs: z.record(z.string(), z.string()).describe('Base64 of each blob, by CID'),
    anchors: z.array(jsonObject).optional(),
  })
  .meta({ id: 'Manifest' });

const counts = z.object({ stored: z.int(), known: z.int() });
export const importedManifest = z
  .object({
    graph_id: z.uuid(),
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
    export_id: z.uuid(),
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
    result: z.string().nullable().describe('Path of the manifest when it is finished'),
    digest: z.string().nullable().describe('BLAKE3-256 hash of the manifest in hex, which is also its ETag'),
    error: z.object({ code: z.string(), error: z.string() }).nullable(),
  })
  .meta({ id: 'ManifestExport' });
