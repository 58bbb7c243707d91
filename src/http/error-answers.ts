import { type RouteConfig, z } from '@hono/zod-openapi';
import { errorStatus } from '../platform/http/error-status.ts';

export const errorBody = z
  .object({
    error: z.string().describe('A sentence: what is wrong and what to do'),
    code: z.enum(Object.keys(errorStatus) as [keyof typeof errorStatus]),
    request_id: z.string(),
    details: z
      .array(
        z.object({
          index: z.int().optional().describe('Position in the batch'),
          code: z.string().optional(),
          pointer: z.string().optional().describe('RFC 6901 pointer into the statement or body'),
          reason: z.string(),
        }),
      )
      .optional(),
    callstack: z.object({ internal: z.string() }).optional(),
  })
  .openapi('Error');

const meanings: Record<number, string> = {
  400: 'The request is invalid',
  403: 'The caller may not do this',
  413: 'The request exceeds a limit. The error names the setting that raises it',
  503: 'Temporarily unavailable. Retry-After says how long to wait',
  507: 'The store is full',
};

const tokenProblems: Record<number, string> = {
  401: 'The request has no valid credentials',
  429: 'Too many refused tokens from this address. Retry-After says how long to wait',
};

/** The failures that any operation can answer, in addition to those that it describes. */
export function errorAnswers(
  described: RouteConfig['responses'],
  isPublic: boolean,
): RouteConfig['responses'] {
  const all = { ...meanings, ...(!isPublic && tokenProblems) };
  const others = Object.entries(all).filter(([status]) => !(status in described));
  return Object.fromEntries(others.map(([status, description]) => [status, errorAnswer(description)]));
}

export function errorAnswer(description: string) {
  return { description, content: { 'application/json': { schema: errorBody } } };
}
