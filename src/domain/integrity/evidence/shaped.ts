import type { z } from 'zod';
import { reasonOf, shapeProblems } from '../../json/shape-problems.ts';
import { EvidenceProblem } from './evidence.ts';

/** @throws EvidenceProblem with the first place where a document is not what the format says. */
export function asFormat<Shape extends z.ZodType>(
  format: string,
  shape: Shape,
  document: unknown,
): z.output<Shape> {
  const { success, data } = shape.safeParse(document);
  if (success) return data;
  const [problem] = shapeProblems(shape, document);
  const { pointer = '', name = '', isMissing = false, words = 'is invalid' } = problem ?? {};
  const what = isMissing ? 'is missing' : words;
  throw new EvidenceProblem(`${format} does not allow this: ${name || 'the document'} ${what}.`, pointer);
}

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
