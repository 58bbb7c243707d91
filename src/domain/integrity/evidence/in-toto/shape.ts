import type { z } from 'zod';
import { reasonOf, shapeProblems } from '../../../json/shape-problems.ts';
import { EvidenceProblem } from '../evidence.ts';

/** The value in a shape. @throws EvidenceProblem with the place of the first problem. */
export function shaped<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  what: string,
  at = '',
): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [problem] = shapeProblems(shape, value);
  const place = at + (problem?.pointer ?? '');
  const reason = problem ? reasonOf(problem) : 'it has another shape';
  throw new EvidenceProblem(`${what} is not valid${place && ` at "${place}"`}: ${reason}.`, place);
}

/** Reads something inside a document, whose problems get its place. */
export function below<Result>(place: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error;
    throw new EvidenceProblem(error.message, place + error.place);
  }
}
