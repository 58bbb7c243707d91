import { type RouteConfig, z } from '@hono/zod-openapi';
import { errorStatus } from '../platform/http/error-status.ts';

export const errorBody = z
  .object({
    error: z.string().openapi({ description: 'A sentence: what is wrong and what to do' }),
    code: z.enum(Object.keys(errorStatus) as [keyof typeof errorStatus]),
    request_id: z.string(),
    details: z
      .array(
        z.object({
          index: z.int().optional().openapi({ description: 'Position in the batch' }),
          code: z.string().optional(),
          pointer: z
            .string()
            .optional()
            .openapi({ description: 'RFC 6901 pointer into the statement or body' }),
          reason: z.string(),
        }),
      )
      .optional(),
    callstack: z.object({ internal: z.string() }).optional(),
  })
  .openapi('Error');

const meanings: Record<number, string> = {
  400: 'The request is not accepted',
  403: 'The caller may not do this',
  413: 'Larger than a limit; the sentence names the setting that raises it',
  503: 'Not now; Retry-After says when',
  507: 'The store is full',
};

const ofCallers: Record<number, string> = {
  401: 'Without a bearer token, or with one that is not accepted',
  429: 'Too many refused tokens from this address; Retry-After says when the next one is looked at',
};

/** The failures that any operation can answer, beside those that it describes itself. */
export function errorAnswers(
  described: RouteConfig['responses'],
  isPublic: boolean,
): RouteConfig['responses'] {
  const all = { ...meanings, ...(!isPublic && ofCallers) };
  const others = Object.entries(all).filter(([status]) => !(status in described));
  return Object.fromEntries(others.map(([status, description]) => [status, errorAnswer(description)]));
}

export function errorAnswer(description: string) {
  return { description, content: { 'application/json': { schema: errorBody } } };
}
