import type { Context } from 'hono';
import type { z } from 'zod';
import {
  exportHeaders,
  importedManifest,
  importQuery,
  manifest,
  manifestQuery,
} from '../../../contract/integrity/manifests.ts';
import { bytes } from '../../../contract/values.ts';
import {
  authorizeProject,
  callerKey,
  onNamedProject,
  onProject,
  type Principal,
} from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type BlobLimit, throwTooLarge } from '../../../domain/integrity/blobs/upload.ts';
import {
  type GraphSelection,
  graphForImport,
  graphsForReading,
} from '../../../domain/integrity/graphs/graphs.ts';
import type { LogsForExport } from '../../../domain/integrity/manifest/covered-logs.ts';
import { exportManifest, type ManifestExporting } from '../../../domain/integrity/manifest/export.ts';
import {
  type ImportedManifest,
  importManifest,
  type ManifestImporting,
} from '../../../domain/integrity/manifest/import.ts';
import type { Spool, SpoolStore } from '../../../domain/integrity/manifest/ports.ts';
import type { GraphStore, WorkLimit } from '../../../domain/integrity/ports.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { assertContentType, assertSize, bodyStream } from '../../../platform/http/body.ts';
import { streamAnswer } from '../../answering.ts';
import { accepts, errorAnswer, jsonAnswer, notAcceptable } from '../../answers.ts';
import { manifestDisposition } from '../../download-name.ts';
import { prefersAsync } from '../../preferences.ts';
import { operation } from '../operation.ts';
import { type AcceptingExports, acceptExport, exportAccepted } from './manifest-exports.ts';

const tag = 'Manifests';
const json = 'application/json';
const car = 'application/vnd.ipld.car';
const files = { [json]: { schema: manifest }, [car]: { schema: bytes } };

export type ManifestRoutes = ManifestExporting &
  ManifestImporting &
  AcceptingExports & {
    readonly graphs: GraphStore;
    readonly newGraphId: () => string;
    readonly logsForExport: LogsForExport;
    /** Limits how many exports gather statements at once while callers wait. */
    readonly exportTurns: WorkLimit;
    readonly limits: { readonly maxManifestBytes: number };
  };

export function manifestRoutes(app: App, ports: ManifestRoutes): void {
  operation(app, 'GET /manifest/v1', {
    access: onProject('view_project_data'),
    tag,
    summary: 'Export graphs as one manifest',
    description:
      'Version 3, as JSON, or as a CAR v1 with Accept: application/vnd.ipld.car. The header Cairn-Statements counts its statements, and Cairn-Missing-Blobs the blobs that they refer to and the manifest lacks. With Prefer: respond-async the export runs in the background, and Location names it. An equal export of the caller that has not begun is named again.',
    headers: exportHeaders,
    query: manifestQuery,
    answers: {
      200: { description: 'The manifest', content: files },
      202: exportAccepted,
      404: errorAnswer('A graph does not exist'),
      406: notAcceptable,
      429: errorAnswer('The caller has too many unfinished exports, or their results are too large together'),
    },
    handle: async ({ context, answer, principal, query }) => {
      const form = accepts(context, [json, car]) === car ? 'car' : 'json';
      const selection = await selectionOf(ports, principal, query);
      const filter = {
        graphIds: selection?.graphIds ?? null,
        includeContext: query.include_context,
        includeBlobs: query.include_blobs,
        includeProofs: query.include_proofs,
      };
      const visibility = selection?.visibility ?? (await principal.grants.visible());
      if (prefersAsync(context))
        return answer(202, ...(await acceptExport(context, ports, principal, { filter, visibility, form })));
      const { signal } = context.req.raw;
      const options = {
        form,
        onGathered: async () => assertConnected(signal),
        reader: () => principal.grants.visible(),
        logs: query.include_proofs ? ports.logsForExport : undefined,
      } as const;
      const exported = await ports.exportTurns.run(
        () => exportManifest(ports, filter, visibility, options),
        callerKey(principal),
      );
      const headers = new Headers({
        'content-type': form === 'car' ? `${car}; version=1` : json,
        'content-disposition': await manifestDisposition(ports.graphs, filter.graphIds, form),
        'x-content-type-options': 'nosniff',
        vary: 'Accept, Prefer',
        'cairn-statements': String(exported.statements),
      });
      if (query.include_blobs) headers.set('cairn-missing-blobs', String(exported.missingBlobs));
      if (exported.leftOut > 0) headers.set('cairn-left-out-statements', String(exported.leftOut));
      if (exported.later > 0) headers.set('cairn-later-statements', String(exported.later));
      return await streamAnswer(context, exported.bytes, exported, { headers });
    },
  });

  operation(app, 'POST /manifest/v1', {
    access: onNamedProject('create_projects', 'create_declarations'),
    tag,
    summary: 'Import a manifest as a new graph',
    description:
      'Version 3, as JSON or CAR. Every id and hash is computed again first. If one is wrong, nothing is stored.',
    query: importQuery,
    body: files,
    answers: {
      201: jsonAnswer('Imported as a new graph', importedManifest),
      200: jsonAnswer('The graph exists and has everything in the manifest', importedManifest),
      404: errorAnswer('The parent graph does not exist'),
      409: errorAnswer('The graph already exists with other content'),
    },
    beginsLate: true,
    handle: async ({ context, answer, principal, query, begin }) => {
      const form = assertContentType(context, [json, car], true) === car ? 'car' : 'json';
      const graph = await graphForImport(ports.graphs, principal, {
        graphId: query.graph_id ?? ports.newGraphId(),
        name: query.name,
        parentId: query.parent_id ?? null,
        projectId: null,
      });
      note(context, { target: graph.graphId });
      await begin();
      const limit = { bytes: ports.limits.maxManifestBytes, setting: 'CAIRN_MAX_MANIFEST_BYTES' };
      await using spool = await spooled(context, ports.spools, limit);
      const writes: WorkLimit = { run: (work) => ports.writes.run(work, callerKey(principal)) };
      const result = await importManifest({ ...ports, writes }, spool, form, graph);
      return answer(result.isNew ? 201 : 200, importedJson(result));
    },
  });
}

/** Stops the work if the caller has disconnected. */
function assertConnected({ aborted }: AbortSignal): void {
  if (aborted) throw new ServiceError('invalid_request', 'The caller disconnected before the end.');
}

async function selectionOf(
  { graphs }: Pick<ManifestRoutes, 'graphs'>,
  principal: Principal,
  { graph_ids: graphIds, include_descendants: withDescendants }: z.output<typeof manifestQuery>,
): Promise<GraphSelection | null> {
  if (graphIds === undefined) {
    await authorizeProject(principal, 'view_project_data', null);
    return null;
  }
  return await graphsForReading(graphs, principal, { graphIds, withDescendants });
}

/** Writes the body to disk. @throws ServiceError `too_large`, `truncated_upload`, `storage_full`. */
async function spooled(context: Context, spools: SpoolStore, limit: BlobLimit): Promise<Spool> {
  assertSize(context, limit);
  await using opened = new AsyncDisposableStack();
  const spool = opened.use(await spools.open());
  for await (const chunk of bodyStream(context)) {
    if (spool.size + chunk.length > limit.bytes) throwTooLarge(limit);
    await spool.write(chunk);
  }
  opened.move();
  return spool;
}

function importedJson({ graphId, statements, blobs, contexts, unverifiedContexts }: ImportedManifest) {
  return { graph_id: graphId, statements, blobs, contexts, unverified_contexts: unverifiedContexts };
}
