import type { RouteConfig } from '@hono/zod-openapi';
import type { z } from 'zod';
import { errorBody } from '../contract/errors.ts';

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

const bodyErrors: Record<number, string> = {
  415: 'The body has a media type or an encoding that is not accepted',
};

/** For answers whose JSON is text or bytes already. */
export const jsonType = { 'content-type': 'application/json' };

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
    ...(hasBody && bodyErrors),
  });
  const answers = errors.map(([status, description]) => [status, errorAnswer(description)]);
  return { ...Object.fromEntries(answers), ...described };
}
