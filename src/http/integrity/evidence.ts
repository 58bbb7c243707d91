import {
  evidenceQuery,
  type ImportedLine,
  importedEvidence,
  importedLines,
} from '../../contract/integrity/evidence.ts';
import { anyJson, bytes } from '../../contract/values.ts';
import { onProject } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  type EvidenceImporting,
  type ImportedEvidence,
  importEvidence,
} from '../../domain/integrity/evidence/import.ts';
import { hasJsonLines, type Line, linesOf } from '../../domain/integrity/evidence/lines.ts';
import type { App } from '../../platform/http/app.ts';
import { readBody } from '../../platform/http/body.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import type { RequestLimits } from '../parsed-request.ts';
import { fileJson } from './imported-file.ts';
import { openLineageRoutes } from './openlineage.ts';
import { operation } from './operation.ts';

export interface EvidenceRoutes extends EvidenceImporting {
  readonly limits: RequestLimits & { readonly maxEvidenceBytes: number };
}

const linesType = /^application\/(?:x-ndjson|jsonl|x-jsonlines|json-lines)\b/i;

export function evidenceRoutes(app: App, ports: EvidenceRoutes): void {
  openLineageRoutes(app, ports);

  operation(app, 'POST /evidence/v1', {
    access: onProject('create_declarations'),
    audit: 'queued',
    tag: 'Evidence',
    summary: 'Import a file that another tool has written',
    description:
      'The file is stored as it is, and statements that follow from it are stored beside it. JSON lines are files of their own: each is taken or refused, and the answer says what became of it.',
    query: evidenceQuery,
    body: {
      'application/json': { schema: anyJson },
      'application/x-ndjson': { schema: bytes },
      'application/xml': { schema: bytes },
      'application/octet-stream': { schema: bytes },
    },
    answers: {
      201: jsonAnswer(
        'Stored. JSON lines: a statement of one of them was new',
        importedEvidence.or(importedLines),
      ),
      200: jsonAnswer('Everything was already stored', importedEvidence.or(importedLines)),
      400: errorAnswer('The file is in no known format, or its format calls it invalid'),
    },
    handle: async ({ context, answer, principal, query }) => {
      const limit = { bytes: ports.limits.maxEvidenceBytes, setting: 'CAIRN_MAX_EVIDENCE_BYTES' };
      const body = await readBody(context, limit);
      const hasLines = linesType.test(context.req.header('content-type') ?? '') || hasJsonLines(body);
      const lines = hasLines ? fewLines(body, ports.limits.maxBatchStatements) : undefined;
      const { files, isNew } = await importEvidence(
        ports,
        principal,
        lines ? lines.map((line) => line.bytes) : [body],
        { registeredBy: query.registered_by ?? ports.signer.did, graphId: query.graph_id ?? null },
      );
      const status = isNew ? 201 : 200;
      if (lines)
        return answer(status, { results: files.map((file, at) => lineJson(lines[at] as Line, file)) });
      const [file] = files as [ImportedEvidence | ServiceError];
      if (file instanceof ServiceError) throw file;
      return answer(status, fileJson(file));
    },
  });
}

/** @throws ServiceError `too_large`. */
function fewLines(body: Uint8Array, most: number): Line[] {
  const lines = linesOf(body)
    .take(most + 1)
    .toArray();
  if (lines.length <= most) return lines;
  const message = `The file has more than ${most} lines (CAIRN_MAX_BATCH_STATEMENTS raises the limit). Send them in several requests, as "cairn import" does.`;
  throw new ServiceError('too_large', message);
}

function lineJson({ number: line }: Line, file: ImportedEvidence | ServiceError): ImportedLine {
  if (!(file instanceof ServiceError)) return { line, ...fileJson(file) };
  const pointer = file.details?.[0]?.pointer;
  return { line, error: file.message, code: file.code, ...(pointer !== undefined && { pointer }) };
}
