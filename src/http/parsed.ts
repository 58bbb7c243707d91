import type { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { reasonOf, shapeProblems } from '../domain/json/shape-problems.ts';

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
