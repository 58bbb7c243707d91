import type { Context } from 'hono';
import { errorStatus } from '../../contract/errors.ts';
import { evidenceQuery, importedEvidence } from '../../contract/integrity/evidence.ts';
import { lineageBatch, lineageBatchResult, lineageEvent } from '../../contract/integrity/openlineage.ts';
import { onProject } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  type EvidenceImporting,
  type ImportedEvidence,
  type ImportRequest,
  importEvidence,
} from '../../domain/integrity/evidence/import.ts';
import { openLineage } from '../../domain/integrity/evidence/openlineage/kind.ts';
import { arrayElements } from '../../domain/json/split-envelope.ts';
import type { App } from '../../platform/http/app.ts';
import { readCompressibleBody } from '../../platform/http/compressed-body.ts';
import type { Log } from '../../platform/log.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import type { RequestLimits } from '../parsed-request.ts';
import { fileJson } from './imported-file.ts';
import { operation } from './operation.ts';

export interface OpenLineageRoutes extends EvidenceImporting {
  readonly limits: RequestLimits;
}

const shared = {
  access: onProject('create_declarations'),
  audit: 'queued',
  tag: 'Evidence',
  query: evidenceQuery,
} as const;

/** The HTTP API of OpenLineage, to which its clients send events. */
export function openLineageRoutes(app: App, ports: OpenLineageRoutes): void {
  const { limits } = ports;
  const request = (query: {
    graph_id?: string | undefined;
    registered_by?: string | undefined;
  }): ImportRequest => ({
    registeredBy: query.registered_by ?? ports.signer.did,
    graphId: query.graph_id ?? null,
    kind: openLineage,
  });

  operation(app, 'POST /api/v1/lineage', {
    ...shared,
    summary: 'Take an event of OpenLineage',
    description:
      'The event is stored as it is. When a run has ended, the statements of the run follow from all of its events, in whatever order they came.',
    body: { 'application/json': { schema: lineageEvent } },
    answers: {
      201: jsonAnswer('Stored', importedEvidence),
      200: jsonAnswer('The event was already stored', importedEvidence),
      400: errorAnswer('OpenLineage calls the event invalid'),
    },
    handle: async ({ context, answer, principal, query }) => {
      const { file, isNew } = await loggingRefusals(context.get('log'), async () => {
        const body = await eventBody(context, limits);
        const { files, isNew } = await importEvidence(ports, principal, [body], request(query));
        const [file] = files as [ImportedEvidence | ServiceError];
        if (file instanceof ServiceError) throw file;
        return { file, isNew };
      });
      return answer(isNew ? 201 : 200, fileJson(file));
    },
  });

  operation(app, 'POST /api/v1/lineage/batch', {
    ...shared,
    summary: 'Take several events of OpenLineage',
    description: 'Each event is taken or refused. The answer lists the refused ones.',
    body: { 'application/json': { schema: lineageBatch } },
    answers: { 200: jsonAnswer('What became of the events', lineageBatchResult) },
    handle: async ({ context, answer, principal, query }) => {
      const most = { maxElements: limits.maxBatchStatements, setting: 'CAIRN_MAX_BATCH_STATEMENTS' };
      const { files } = await loggingRefusals(context.get('log'), async () => {
        const events = arrayElements(await eventBody(context, limits), most);
        return await importEvidence(ports, principal, events, request(query));
      });
      const failed = files.flatMap((file, index) =>
        file instanceof ServiceError ? [{ index, reason: file.message, retriable: false }] : [],
      );
      logRefused(
        context.get('log'),
        failed.map(({ reason }) => reason),
      );
      return answer(200, {
        status: failed.length === 0 ? 'success' : 'partial_success',
        summary: {
          received: files.length,
          successful: files.length - failed.length,
          failed: failed.length,
          retriable: 0,
          non_retriable: failed.length,
        },
        failed_events: failed,
      });
    },
  });
}

/** Clients show the status of an answer to their users, and most leave out its reason. */
function logRefused(log: Log, reasons: readonly string[]): void {
  const first = reasons.slice(0, loggedReasons);
  if (first.length > 0)
    log.warn({ refused: reasons.length, reasons: first }, 'OpenLineage events were refused.');
}

const loggedReasons = 5;

async function loggingRefusals<Result>(log: Log, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && errorStatus[error.code] < 500) logRefused(log, [error.message]);
    throw error;
  }
}

/** Clients of OpenLineage can compress events. */
async function eventBody(context: Context, { maxJsonBytes }: RequestLimits): Promise<Uint8Array> {
  const limit = { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' };
  return (await readCompressibleBody(context, ['application/json'], limit)).bytes;
}
