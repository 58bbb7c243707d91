import { z } from 'zod';

/** What is wrong with a record, if anything. */
export function recordProblem(shape: z.ZodType, record: unknown): string | undefined {
  const { error } = shape.safeParse(record);
  return error && `Its record is damaged: ${z.prettifyError(error)}`.replaceAll('\n', ' ');
}
