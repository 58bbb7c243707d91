import pRetry from 'p-retry';
import type z from 'zod';
import { storedBatch } from '../../../contract/integrity/statements.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type ApiClient, ApiRefusal, answerJson, jsonBody, LostConnection } from '../../client/api-client.ts';
import type { SignStatement } from '../../client/statement-signing.ts';
import type { Batch, Refusal, StatementLine } from './batches.ts';

/** Adds the registration of a signed credential to each statement. */
export async function signBatch(sign: SignStatement, { statements, refused, end }: Batch): Promise<Batch> {
  const signed: StatementLine[] = [];
  const unsigned: Refusal[] = [];
  for (const line of statements) {
    const { number, bytes } = line;
    try {
      signed.push(line, { number, bytes: await sign(bytes) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      unsigned.push({ line: number, code: error.code, reason: error.message });
    }
  }
  return { statements: signed, refused: [...refused, ...unsigned], end };
}

export interface Envelope {
  readonly generateId: boolean;
  readonly graphId: string | null;
}

export interface Sent {
  /** Lines of requests with something new. */
  readonly stored: number;
  /** Lines of requests in which all were known. */
  readonly known: number;
  readonly refused: readonly Refusal[];
  /** The ids of the statements in the lines that are stored now. */
  readonly ids: readonly { readonly line: number; readonly statement_id: string }[];
  /** The forms that are stored now, also those that a line brought along. */
  readonly forms: readonly string[];
}

/** Codes that concern single statements. Any other code ends the ingestion. */
const aboutStatements = new Set([
  'invalid_json',
  'invalid_statement',
  'invalid_cid',
  'missing_id',
  'id_mismatch',
  'unknown_context',
  'not_covered',
  'too_complex',
  'too_deep',
  'too_large',
]);

/**
 * Sends statements, and repeats without the refused ones until the rest is stored.
 * @throws ApiRefusal for a refusal that does not concern single statements; Failure if the service cannot be reached.
 */
export async function sendBatch(
  client: ApiClient,
  statements: readonly StatementLine[],
  envelope: Envelope,
): Promise<Sent> {
  if (statements.length === 0) return { stored: 0, known: 0, refused: [], ids: [], forms: [] };
  const body = requestBody(statements, envelope);
  try {
    const response = await client.send('PUT', '/statements/v1/batch', jsonBody(body));
    const answer = await answerJson(response, storedBatch);
    const isNew = response.status === 201;
    const ids = idsOf(statements, answer);
    const forms = answer.results.map(({ jcs_cid }) => jcs_cid);
    return { stored: isNew ? ids.length : 0, known: isNew ? 0 : ids.length, refused: [], ids, forms };
  } catch (error) {
    if (!(error instanceof ApiRefusal) || !aboutStatements.has(error.code)) throw error;
    const refused = named(statements, error);
    const bad = new Set(refused.map(({ line }) => line));
    const rest = statements.filter(({ number }) => !bad.has(number));
    // A refusal may name no statement, for example because the request is too large. Then the halves are sent.
    const middle = refused.length > 0 ? rest.length : Math.ceil(rest.length / 2);
    const first = await sendBatch(client, rest.slice(0, middle), envelope);
    const second = await sendBatch(client, rest.slice(middle), envelope);
    return {
      stored: first.stored + second.stored,
      known: first.known + second.known,
      refused: [...refused, ...first.refused, ...second.refused],
      ids: [...first.ids, ...second.ids],
      forms: [...first.forms, ...second.forms],
    };
  }
}

/** A line may bring another statement along, which comes after its own. */
function idsOf(statements: readonly StatementLine[], { results: all }: z.output<typeof storedBatch>) {
  const ids = new Map<number, string>();
  for (const [at, { number }] of statements.entries())
    if (!ids.has(number)) ids.set(number, all[at]?.statement_id ?? '');
  return Array.from(ids, ([line, statement_id]) => ({ line, statement_id }));
}

function named(statements: readonly StatementLine[], { code, message, details }: ApiRefusal): Refusal[] {
  const refused = details.flatMap(({ index, pointer, reason, code: own = code }) => {
    const statement = index === undefined ? undefined : statements[index];
    const at = pointer !== undefined && { pointer };
    return statement ? [{ line: statement.number, code: own, ...at, reason }] : [];
  });
  const [only] = statements;
  // A refusal of a request with one statement is about that statement.
  const isAboutOne = only && statements.length === 1 && refused.length === 0;
  return isAboutOne ? [{ line: only.number, code, reason: message }] : refused;
}

/** The statements are sent byte for byte. */
function requestBody(statements: readonly StatementLine[], { generateId, graphId }: Envelope) {
  const fields = JSON.stringify({ generate_id: generateId, ...(graphId !== null && { graph_id: graphId }) });
  const pieces: Uint8Array[] = [Buffer.from(`${fields.slice(0, -1)},"statements":[`)];
  for (const [at, { bytes }] of statements.entries()) {
    if (at > 0) pieces.push(Buffer.from(','));
    pieces.push(bytes);
  }
  return Buffer.concat([...pieces, Buffer.from(']}')]);
}

const retries = 5;
const firstWaitMs = 500;

type Repeat = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Repeats idempotent work after lost connections. Nothing is repeated before the first success, because then the service
 * may not run, or the address may be wrong.
 */
export function repeating(say: (sentence: string) => void): Repeat {
  let hasSucceeded = false;
  return async (work) => {
    const result = await pRetry(work, {
      retries,
      minTimeout: firstWaitMs,
      onFailedAttempt: ({ error, retriesLeft, retryDelay }) => {
        if (!hasSucceeded || !(error instanceof LostConnection)) throw error;
        if (retriesLeft > 0)
          say(`The connection was lost. Sending the request again in ${retryDelay / 1_000} s.`);
      },
    });
    hasSucceeded = true;
    return result;
  };
}
