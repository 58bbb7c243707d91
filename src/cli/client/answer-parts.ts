import type { z } from 'zod';

/** The parts of an answer that a command reads. The compiler compares them with the contract. */
export function partsOf<Answer>() {
  return <Schema extends z.ZodType>(schema: Answer extends z.input<Schema> ? Schema : never): Schema =>
    schema;
}
