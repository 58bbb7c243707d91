import type { z } from '@hono/zod-openapi';
import { ServiceError } from '../domain/errors.ts';
import { jsonPointer } from '../domain/json/strict-json.ts';

/** @throws ServiceError `invalid_request` with a pointer and a reason for each problem. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map(({ path, message }) => ({
    pointer: jsonPointer(path),
    reason: message,
  }));
  const [first] = details;
  const place = first?.pointer ? ` at "${first.pointer}"` : '';
  const sentence = `${what} is not accepted${place}: ${first?.reason}.`;
  throw new ServiceError('invalid_request', sentence, { details });
}
