import { z } from 'zod';
import { computeIdBody, putBatchBody, putStatementBody } from '../../../contract/integrity/statements.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { JsonReader, JsonStatements } from '../../../domain/integrity/ports.ts';
import type { PutStatements } from '../../../domain/integrity/statements/statements.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { parsed, type RequestLimits } from '../../parsed-request.ts';

/** The same schemas for a body without its statements. */
const cutStatement = z.null({ error: 'must be a statement, a JSON object' });
const cutStatements = z.array(z.never(), { error: 'must be an array of statements' });
const putStatementEnvelope = putStatementBody.extend({ statement: cutStatement });
const putBatchEnvelope = putBatchBody.extend({ statements: cutStatements });
const computeIdEnvelope = computeIdBody.extend({ statement: cutStatement });

const oneStatement = { member: 'statement', as: 'value' } as const;

type Reader = Pick<JsonReader, 'readStatements'>;
type Limits = Pick<RequestLimits, 'maxJsonDepth' | 'maxStatementBytes' | 'maxBatchStatements'>;

export async function readPutStatement(reader: Reader, body: Uint8Array, limits: Limits) {
  const read = await reader.readStatements(body, oneStatement);
  return putRequest(read, false, limits);
}

export async function readPutBatch(reader: Reader, body: Uint8Array, limits: Limits) {
  const part = {
    member: 'statements',
    as: 'elements',
    maxElements: limits.maxBatchStatements,
    setting: 'CAIRN_MAX_BATCH_STATEMENTS',
  } as const;
  const read = await reader.readStatements(body, part);
  return putRequest(read, true, limits);
}

export async function readComputeId(
  reader: Reader,
  body: Uint8Array,
  limits: Limits,
): Promise<Pick<PutStatements, 'body' | 'ranges'>> {
  const read = await reader.readStatements(body, oneStatement);
  parsed(computeIdEnvelope, envelopeJson(read.envelope, limits), 'The body');
  checkSizes(read.ranges, limits);
  return read;
}

function putRequest(
  { body, envelope, ranges }: JsonStatements,
  isBatch: boolean,
  limits: Limits,
): PutStatements {
  const schema = isBatch ? putBatchEnvelope : putStatementEnvelope;
  const { generate_id, graph_id, issue_vc } = parsed(schema, envelopeJson(envelope, limits), 'The body');
  checkSizes(ranges, limits);
  return {
    body,
    ranges,
    isBatch,
    generateId: generate_id ?? false,
    graphId: graph_id ?? null,
    issueVc: issue_vc ?? false,
  };
}

function envelopeJson(envelope: Uint8Array, { maxJsonDepth }: Limits): unknown {
  return parseStrictJson(envelope, { maxDepth: maxJsonDepth, exactNumbers: false });
}

function checkSizes(ranges: readonly number[], { maxStatementBytes }: Limits): void {
  for (let at = 0; at < ranges.length; at += 2) {
    const size = (ranges[at + 1] ?? 0) - (ranges[at] ?? 0);
    if (size <= maxStatementBytes) continue;
    const reason = `The statement has ${size} bytes. The limit is ${maxStatementBytes} (CAIRN_MAX_STATEMENT_BYTES).`;
    throw new ServiceError('too_large', reason, { details: [{ index: at / 2, reason }] });
  }
}
