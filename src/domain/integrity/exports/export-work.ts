import type { z } from 'zod';
import { everythingVisible } from '../../access/visibility.ts';
import type { Bucket } from '../../bucket.ts';
import type { JobKind } from '../../jobs/job-runner.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { hasher } from '../identifiers/hashing.ts';
import type { LogsForExport } from '../manifest/covered-logs.ts';
import { type ExportedManifest, exportManifest, type ManifestExporting } from '../manifest/export.ts';
import { visibilityFor } from './export-jobs.ts';
import {
  type ExportProgress,
  exportKind,
  exportRequest,
  nothingYet,
  storedProgress,
} from './export-records.ts';
import { assertRoom, keptExports, leastBytes } from './kept-exports.ts';

type Report = (progress: ExportProgress) => Promise<void>;

const dayMs = 24 * 3_600_000;

/** Writes a manifest to the results. An interrupted attempt leaves nothing there. */
export function manifestExports(
  ports: ManifestExporting,
  results: Pick<Bucket, 'stage'>,
  {
    jobs,
    mostBytes,
    logs: ownLogs,
  }: { readonly jobs: Pick<Jobs, 'page'>; readonly mostBytes: number; readonly logs?: LogsForExport },
): JobKind<z.output<typeof exportRequest>> {
  return {
    name: exportKind,
    request: exportRequest,
    keptFor: { done: dayMs, failed: 7 * dayMs },
    async run({ id, owner, request }, report, runner): Promise<ExportProgress> {
      const { form, projects, readsAll, includeProofs, ...filter } = request;
      const logs = includeProofs ? ownLogs : undefined;
      const onGathered = (statements: number) => report({ ...nothingYet, statements });
      const visibility = visibilityFor(projects);
      const reader = async () => (readsAll ? everythingVisible : visibility);
      const options = { form, onGathered, reader, logs };
      await using manifest = await exportManifest(ports, filter, visibility, options);
      let left = Math.min(leastBytes, mostBytes);
      const reserve = async (bytes: number) => {
        if (bytes <= left) return;
        left = mostBytes - (await keptExports(jobs, owner, id)).bytes;
        assertRoom(bytes, left);
      };
      return await write(manifest, results, { name: `${id}.${runner}`, reserve }, report);
    },
  };
}

async function write(
  { statements, blobs, missingBlobs, missing, leftOut, later, bytes: chunks }: ExportedManifest,
  results: Pick<Bucket, 'stage'>,
  { name, reserve }: { readonly name: string; readonly reserve: (bytes: number) => Promise<void> },
  report: Report,
): Promise<ExportProgress> {
  const counted = {
    ...nothingYet,
    statements,
    blobs,
    missingBlobs,
    missing: [...missing],
    leftOut,
    ...(later > 0 && { later }),
  };
  const hash = hasher('blake3');
  const result = await results.stage();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await reserve(bytes + chunk.length);
      await report({ ...counted, bytes });
      hash.update(chunk);
      await result.write(chunk);
      bytes += chunk.length;
    }
    await report({ ...counted, bytes });
    await result.commit(name);
  } catch (error) {
    await result.discard();
    throw error;
  }
  const digest = Buffer.from(hash.digest()).toString('hex');
  return { ...counted, bytes, result: { name, digest } };
}

/** Removes results without a record, of interrupted attempts and cancelled exports. */
export async function removeOrphanedResults(
  jobs: Pick<Jobs, 'get'>,
  results: Pick<Bucket, 'names' | 'remove'>,
): Promise<void> {
  for await (const name of orphanedResults(jobs, results)) await results.remove(name);
}

export async function* orphanedResults(
  jobs: Pick<Jobs, 'get'>,
  results: Pick<Bucket, 'names'>,
): AsyncGenerator<string> {
  for await (const name of results.names()) {
    const job = await jobs.get(name.slice(0, name.indexOf('.')));
    if (job?.state === 'waiting' || job?.state === 'running') continue;
    // A damaged record may refer to any of its results, so none of them is removed.
    const progress = storedProgress.safeParse(job?.progress ?? null);
    if (progress.success && progress.data?.result?.name !== name) yield name;
  }
}
