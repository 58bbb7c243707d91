import type { Context } from 'hono';
import type { z } from 'zod';
import {
  exportParams,
  manifest,
  manifestExport,
  waitHeaders,
} from '../../../contract/integrity/manifests.ts';
import { bytes } from '../../../contract/values.ts';
import { known, onProject, type Principal } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type ExportJobs,
  endedExport,
  exportedFile,
  type ManifestExportState,
  type RequestedExport,
  readExport,
  removeExport,
  requestExport,
} from '../../../domain/integrity/exports/export-jobs.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, isoOrNull, isoTime, jsonAnswer, notModified } from '../../answers.ts';
import { byteAnswer, type ServedBytes } from '../../byte-answer.ts';
import { manifestDisposition } from '../../download-name.ts';
import { endOfWait, waitOf } from '../../preferences.ts';
import { operation } from '../operation.ts';

const tag = 'Manifests';
const types = { json: 'application/json', car: 'application/vnd.ipld.car; version=1' };
const files = { 'application/json': { schema: bytes }, 'application/vnd.ipld.car': { schema: bytes } };
export const exportAccepted = jsonAnswer(
  'With Prefer: respond-async: the export is accepted, and Location names it',
  manifestExport,
);

export type AcceptingExports = WaitingForExports & {
  readonly limits: { readonly maxExports: number; readonly maxExportBytes: number };
};

type WaitingForExports = ExportJobs & {
  /** Aborted when the process is about to end. */
  readonly stopping: AbortSignal;
};

/** Waits for the end of an export as long as the caller prefers. */
async function awaitedExport(
  context: Context,
  ports: WaitingForExports,
  principal: Principal,
  known: ManifestExportState,
): Promise<ManifestExportState> {
  const wait = waitOf(context);
  if (wait === 0) return known;
  return await endedExport(ports, principal, known, endOfWait(context, wait, ports.stopping));
}

/** Starts an export in the background. */
export async function acceptExport(
  context: Context,
  ports: AcceptingExports,
  principal: Principal,
  asked: Omit<RequestedExport, 'most' | 'mostBytes'>,
): Promise<[state: z.input<typeof manifestExport>, headers: Record<string, string>]> {
  const { maxExports: most, maxExportBytes: mostBytes } = ports.limits;
  const accepted = await requestExport(ports, principal, { ...asked, most, mostBytes });
  const wait = waitOf(context);
  const state = await awaitedExport(context, ports, principal, accepted);
  const headers = {
    location: pathOf(accepted.id),
    'preference-applied': wait > 0 ? `respond-async, wait=${wait}` : 'respond-async',
    vary: 'Accept, Prefer',
    ...retryOf(state),
  };
  return [stateJson(state), headers];
}

/** An unfinished export may be asked for again after a second. */
function retryOf({ finishedAt }: ManifestExportState) {
  return finishedAt === null && { 'retry-after': '1' };
}

interface ManifestExportRoutes extends WaitingForExports {
  readonly graphs: Pick<GraphStore, 'get'>;
}

export function manifestExportRoutes(app: App, ports: ManifestExportRoutes): void {
  operation(app, 'GET /manifest/v1/exports/{id}', {
    access: onProject('view_project_data'),
    tag,
    summary: 'Read the state of an asynchronous export',
    description: 'Only its creator can read it, and only while they may read everything in it.',
    headers: waitHeaders,
    params: exportParams,
    answers: {
      200: jsonAnswer('The state of the export', manifestExport),
      404: errorAnswer('The caller has no such export, or it has expired'),
    },
    handle: async ({ context, answer, principal, params: { id } }) => {
      const wait = waitOf(context);
      if (wait > 0) context.header('preference-applied', `wait=${wait}`);
      const known = await readExport(ports, principal, id);
      const state = await awaitedExport(context, ports, principal, known);
      return answer(200, stateJson(state), { 'cache-control': 'no-store', ...retryOf(state) });
    },
  });

  operation(app, 'GET /manifest/v1/exports/{id}/result', {
    access: onProject('view_project_data'),
    tag,
    summary: 'Read the manifest of an asynchronous export',
    description: 'Supports ranges. Manifests with the same bytes have the same ETag.',
    params: exportParams,
    answers: {
      200: { description: 'The manifest', content: { ...files, 'application/json': { schema: manifest } } },
      206: { description: 'The requested range', content: files },
      304: notModified,
      404: errorAnswer('The caller has no such export, or it has expired'),
      409: errorAnswer('The export is not finished, or it failed'),
      416: errorAnswer('The range lies outside the manifest'),
    },
    handle: async ({ context, principal, params: { id } }) => {
      const file = await exportedFile(ports, principal, id);
      const served: ServedBytes = {
        tag: file.digest,
        exists: async () => true,
        size: async () => file.size,
        open: file.read,
        refuse: () => {
          throw new ServiceError('not_found', `The manifest of the export ${id} is gone. Export it again.`);
        },
      };
      return await byteAnswer(context, served, {
        'content-type': types[file.form],
        'content-disposition': await manifestDisposition(ports.graphs, file.graphIds, file.form),
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
      });
    },
  });

  operation(app, 'DELETE /manifest/v1/exports/{id}', {
    access: known,
    // Any caller may send it, but only the creator of an export can remove it.
    audit: 'after',
    tag,
    summary: 'Cancel or remove an asynchronous export',
    params: exportParams,
    answers: {
      204: { description: 'The export is gone' },
      404: errorAnswer('The caller has no such export'),
    },
    handle: async ({ answer, principal, params: { id } }) => {
      await removeExport(ports, principal, id);
      return answer(204);
    },
  });
}

function pathOf(id: string): string {
  return `/manifest/v1/exports/${id}`;
}

function stateJson({ id, state, form, progress, ...job }: ManifestExportState) {
  const { missingBlobs, missing } = progress;
  return {
    export_id: id,
    state,
    format: form,
    created_at: isoTime(job.createdAt),
    finished_at: isoOrNull(job.finishedAt),
    expires_at: isoOrNull(job.expiresAt),
    statements: progress.statements,
    blobs: progress.blobs,
    bytes: progress.bytes,
    missing_blobs: missingBlobs === null ? null : { count: missingBlobs, cids: missing },
    left_out_statements: progress.leftOut,
    ...(progress.later !== undefined && { later_statements: progress.later }),
    result: state === 'done' ? `${pathOf(id)}/result` : null,
    digest: progress.result?.digest ?? null,
    error: job.failure && { code: job.failure.code, error: job.failure.message },
  };
}
