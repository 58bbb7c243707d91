import { closest, distance } from 'fastest-levenshtein';
import type { Context } from 'hono';
import type { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { reasonOf, shapeProblems } from '../domain/json/shape-problems.ts';
import { envelopeLimit } from '../domain/json/split-envelope.ts';
import { parseStrictJson } from '../domain/json/strict-json.ts';
import { assertContentType, readBody } from '../platform/http/body.ts';

export interface JsonLimits {
  readonly maxJsonBytes: number;
  readonly maxJsonDepth: number;
}

const jsonTypes = ['application/json', 'application/ld+json'];

/** The bytes of a JSON body, not parsed yet. */
export async function jsonBody(
  context: Context,
  { maxJsonBytes }: Pick<JsonLimits, 'maxJsonBytes'>,
): Promise<Uint8Array> {
  assertContentType(context, jsonTypes, true);
  return await readBody(context, { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' });
}

/** The bytes of a body with one statement or JSON-LD document, not parsed yet. */
export async function statementBody(
  context: Context,
  { maxJsonBytes, maxStatementBytes }: JsonLimits & { readonly maxStatementBytes: number },
): Promise<Uint8Array> {
  const bytes = maxStatementBytes + envelopeLimit;
  if (bytes >= maxJsonBytes) return await jsonBody(context, { maxJsonBytes });
  assertContentType(context, jsonTypes, true);
  return await readBody(context, { bytes, setting: 'CAIRN_MAX_STATEMENT_BYTES' });
}

/** A JSON body of at most 64 KiB, unless another limit is given, read strictly and parsed by the schema that describes it. */
export async function parsedJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
  limit = envelopeLimit,
): Promise<z.output<Schema>> {
  assertContentType(context, jsonTypes, true);
  const bytes = await readBody(context, { bytes: limit, setting: null });
  return parsed(schema, parseStrictJson(bytes, { maxDepth, exactNumbers: false }), 'The body');
}

/** Like `parsedJsonBody`, but no body at all counts as an empty object. */
export async function parsedOptionalJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
): Promise<z.output<Schema>> {
  const bytes = await readBody(context, { bytes: envelopeLimit, setting: null });
  if (bytes.length === 0) return parsed(schema, {}, 'The body');
  assertContentType(context, jsonTypes, true);
  return parsed(schema, parseStrictJson(bytes, { maxDepth, exactNumbers: false }), 'The body');
}

const problemsListed = 100;

/** @throws ServiceError `invalid_request` with a pointer and a reason for each problem. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = shapeProblems(schema, value);
  const details = problems
    .slice(0, problemsListed)
    .map((problem) => ({ pointer: problem.pointer, reason: reasonOf(problem) }));
  const [first] = details;
  const place = first?.pointer ? ` at "${first.pointer}"` : '';
  const sentence = `${what} is not accepted${place}: ${first?.reason}.`;
  throw new ServiceError('invalid_request', sentence, { details });
}

/**
 * The query of a request. Only a loose schema accepts parameters that it does not declare.
 * @throws ServiceError `invalid_request`.
 */
export function parsedQuery<Query extends z.ZodObject>(query: Query, context: Context): z.output<Query> {
  const given = context.req.queries();
  if (query.def.catchall?._zod.def.type !== 'unknown')
    assertKnown(Object.keys(given), Object.keys(query.shape));
  // A repeated parameter becomes an array, which only schemas of lists accept.
  const values = Object.entries(given).map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return parsed<Query>(query, Object.fromEntries(values), 'The query');
}

function assertKnown(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = JSON.stringify(unknown.slice(0, 100));
  const list = known.length === 0 ? 'There are none here.' : `There are ${known.join(', ')}.`;
  throw new ServiceError(
    'invalid_request',
    `There is no query parameter ${name}.${meant(unknown, known)} ${list}`,
    {
      details: given
        .filter((one) => !known.includes(one))
        .slice(0, 10)
        .map((one) => ({ parameter: one.slice(0, 100), reason: 'unknown' })),
    },
  );
}

/** The known name that somebody probably meant: at most half of it is different. */
function meant(unknown: string, known: readonly string[]): string {
  const name = closest(unknown.slice(0, 100), known);
  if (name === undefined || distance(unknown.slice(0, 100), name) * 2 > name.length) return '';
  return ` Did you mean ${name}?`;
}

/** Limits of requests. Each is a setting. */
export interface RequestLimits extends JsonLimits {
  readonly maxStatementBytes: number;
  readonly maxBatchStatements: number;
  readonly maxBlobBytes: number;
  readonly maxBatchParts: number;
  readonly maxBatchBytes: number;
}
