import { z } from '@hono/zod-openapi';
import { ServiceError } from '../../../domain/errors.ts';
import { splitEnvelope } from '../../../domain/json/split-envelope.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { parsed } from '../../parsed.ts';
import type { RequestLimits } from '../request-limits.ts';
import { jsonObject, uuidField } from '../schemas.ts';

/** The members beside the statements. Only these are parsed here. Statements stay bytes. */
const putFields = {
  generate_id: z
    .boolean()
    .optional()
    .describe('Compute the id and set it as @id. If false, the statement must have its correct @id'),
  graph_id: uuidField('graph_id').nullish(),
  issue_vc: z.boolean().optional().describe('Issue a verifiable credential (not available yet)'),
};

const statement = jsonObject.openapi('Statement', {
  description: 'An integrity statement: a JSON-LD object',
});

export const putStatementBody = z.strictObject({ statement, ...putFields }).openapi('PutStatement');
export const putBatchBody = z
  .strictObject({ statements: z.array(statement), ...putFields })
  .openapi('PutStatementBatch');
export const computeIdBody = z.strictObject({ statement }).openapi('ComputeId');

/** The same schemas for a body without its statements. */
const cutStatement = z.null({ error: 'must be a statement, a JSON object' });
const cutStatements = z.array(z.never(), { error: 'must be an array of statements' });
const putStatementEnvelope = putStatementBody.extend({ statement: cutStatement });
const putBatchEnvelope = putBatchBody.extend({ statements: cutStatements });
const computeIdEnvelope = computeIdBody.extend({ statement: cutStatement });

type Limits = Pick<RequestLimits, 'maxJsonDepth' | 'maxStatementBytes' | 'maxBatchStatements'>;

export interface StatementRequest {
  readonly body: Uint8Array;
  readonly ranges: readonly number[];
  readonly isBatch: boolean;
  readonly generateId: boolean;
  readonly graphId: string | null;
}

export function readPutStatement(body: Uint8Array, limits: Limits): StatementRequest {
  return readPut(body, 'statement', putStatementEnvelope, limits);
}

export function readPutBatch(body: Uint8Array, limits: Limits): StatementRequest {
  return readPut(body, 'statements', putBatchEnvelope, limits);
}

export function readComputeId(body: Uint8Array, limits: Limits): Pick<StatementRequest, 'body' | 'ranges'> {
  const { envelope, ranges } = splitEnvelope(body, 'statement', 'value');
  parsed(computeIdEnvelope, envelopeJson(envelope, limits), 'The body');
  checkSizes(ranges, limits);
  return { body, ranges };
}

function readPut(
  body: Uint8Array,
  member: 'statement' | 'statements',
  schema: typeof putStatementEnvelope | typeof putBatchEnvelope,
  limits: Limits,
): StatementRequest {
  const isBatch = member === 'statements';
  const { envelope, ranges } = splitEnvelope(body, member, isBatch ? 'elements' : 'value');
  const { generate_id, graph_id, issue_vc } = parsed(schema, envelopeJson(envelope, limits), 'The body');
  if (issue_vc) {
    throw new ServiceError(
      'not_available_yet',
      'Credentials are not available yet. Leave issue_vc out, or set it to false.',
    );
  }
  checkSizes(ranges, limits);
  return { body, ranges, isBatch, generateId: generate_id ?? false, graphId: graph_id ?? null };
}

function envelopeJson(envelope: Uint8Array, { maxJsonDepth }: Limits): unknown {
  return parseStrictJson(envelope, { maxDepth: maxJsonDepth, exactNumbers: false });
}

function checkSizes(ranges: readonly number[], { maxStatementBytes, maxBatchStatements }: Limits): void {
  const count = ranges.length / 2;
  if (count > maxBatchStatements) {
    throw new ServiceError(
      'too_large',
      `The batch has ${count} statements. The limit is ${maxBatchStatements} (CAIRN_MAX_BATCH_STATEMENTS).`,
    );
  }
  for (let at = 0; at < ranges.length; at += 2) {
    const size = (ranges[at + 1] ?? 0) - (ranges[at] ?? 0);
    if (size <= maxStatementBytes) continue;
    const reason = `The statement has ${size} bytes. The limit is ${maxStatementBytes} (CAIRN_MAX_STATEMENT_BYTES).`;
    throw new ServiceError('too_large', reason, { details: [{ index: at / 2, reason }] });
  }
}
