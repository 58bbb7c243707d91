import type { z } from 'zod';
import { shapeProblems } from '../../json/shape-problems.ts';
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
