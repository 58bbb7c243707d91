import type { z } from '@hono/zod-openapi';

/** An answer of JSON, for the API's description. */
export function jsonAnswer(description: string, schema: z.ZodType) {
  return { description, content: { 'application/json': { schema } } };
}
