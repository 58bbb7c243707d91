import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { accepts as negotiate } from 'hono/accepts';
import type { z } from 'zod';
import { errorBody } from '../contract/errors.ts';
import { ServiceError } from '../domain/errors.ts';

/** Errors that every operation can answer. */
const commonErrors: Record<number, string> = {
  400: 'The request is invalid',
  403: 'The caller may not do this',
  408: 'The body arrived too slowly',
  413: 'The request exceeds a limit. The error names the setting that raises it',
  431: 'The header of the request is too large',
  500: 'The service failed. Its log has the request_id',
  503: 'Temporarily unavailable. Retry-After says how long to wait',
  507: 'The store is full',
};

const credentialErrors: Record<number, string> = {
  401: 'The request has no valid credentials',
  429: 'Too many refused tokens from this address. Retry-After says how long to wait',
};

/** For answers whose JSON is text or bytes already. */
export const jsonType = { 'content-type': 'application/json' };

export const isoTime = (time: number) => new Date(time).toISOString();

export const isoOrNull = (time: number | null) => (time === null ? null : isoTime(time));

/** Describes a JSON answer. */
export function jsonAnswer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

export function errorAnswer(description: string) {
  return jsonAnswer(description, errorBody);
}

/** For operations that choose their representation by `Accept`. */
export const notAcceptable = errorAnswer('The resource has no representation that the caller accepts');

export const notModified = { description: 'The caller already has the current bytes' };

/** Adds the errors that every operation can answer to the described answers. */
export function allAnswers(
  described: RouteConfig['responses'],
  { isPublic, hasBody }: { readonly isPublic: boolean; readonly hasBody: boolean },
): RouteConfig['responses'] {
  const errors = Object.entries({
    ...commonErrors,
    ...(!isPublic && credentialErrors),
    ...(hasBody && { 415: 'The body has a media type or an encoding that is not accepted' }),
  });
  const answers = errors.map(([status, description]) => [status, errorAnswer(description)]);
  return { ...Object.fromEntries(answers), ...described };
}

/**
 * The representation that the caller prefers (RFC 9110, section 12.5.1). Without a preference it is the first one.
 * @throws ServiceError `not_acceptable` if the caller accepts none of them.
 */
export function accepts<Type extends string>(context: Context, offered: readonly [Type, ...Type[]]): Type {
  const name = negotiate(context, { header: 'Accept', supports: [...offered], default: 'none' });
  const chosen = offered.find((type) => type === name);
  if (chosen !== undefined) return chosen;
  const header = context.req.header('accept');
  if (header === undefined || /\*\/\*|application\/\*/.test(header)) return offered[0];
  throw new ServiceError(
    'not_acceptable',
    `This resource is not available as "${header.slice(0, 100)}". Accept ${offered.join(' or ')}.`,
  );
}
