import { z } from 'zod';

export const exportKind = 'manifest-export';

export const exportRequest = z.object({
  graphIds: z.array(z.string()).nullable(),
  includeContext: z.boolean(),
  includeBlobs: z.boolean(),
  includeProofs: z.literal(true).optional(),
  form: z.enum(['json', 'car']),
  /** The projects that the export may read, as its owner was allowed at the time; null for all. */
  projects: z.array(z.string()).nullable(),
  /** Whether its owner was allowed to read all projects at the time, so that each hash of a blob opens it. */
  readsAll: z.literal(true).optional(),
});

export const exportProgress = z.object({
  statements: z.int(),
  blobs: z.int().nullable(),
  bytes: z.int(),
  /** Referenced blobs that the manifest does not carry; null until known. */
  missingBlobs: z.int().nullable(),
  /** The CIDs of the first missing blobs. */
  missing: z.array(z.string()),
  leftOut: z.int(),
  /** With proofs: how many came after the head that is proved. */
  later: z.int().optional(),
  /** The complete manifest: its name among the results, and the BLAKE3-256 of its bytes in hex. */
  result: z.object({ name: z.string(), digest: z.string() }).nullable(),
});

export type ExportProgress = z.output<typeof exportProgress>;

/** The progress in the record of a job; null before the first report. */
export const storedProgress = exportProgress.nullable();

export const nothingYet: ExportProgress = {
  statements: 0,
  blobs: null,
  bytes: 0,
  missingBlobs: null,
  missing: [],
  leftOut: 0,
  result: null,
};
