import { z } from 'zod';
import { shapeProblems } from '../../../json/shape-problems.ts';
import { EvidenceProblem } from '../evidence.ts';

/** @throws EvidenceProblem with the first place where a document is not what the format says. */
export function shaped<Shape>(shape: z.ZodType<Shape>, document: unknown, format: string): Shape {
  const { success, data } = shape.safeParse(document);
  if (success) return data;
  const [problem] = shapeProblems(shape, document);
  const { pointer = '', name = '', isMissing = false, words = 'is invalid' } = problem ?? {};
  const what = isMissing ? 'is missing' : words;
  throw new EvidenceProblem(`${format} does not allow this: ${name || 'the document'} ${what}.`, pointer);
}

export const text = z.string();
export const utcTime = z.iso.datetime({ error: 'must be a UTC time, such as "2026-01-31T12:00:00Z"' });

export function oneOf(words: string) {
  const values = words.split(/\s+/).filter(Boolean);
  const known = new Set(values);
  const error = ({ input }: { readonly input?: unknown }) =>
    `is "${String(input).slice(0, 100)}", and must be one of ${values.join(', ')}`;
  return z.string({ error }).refine((value) => known.has(value), { error });
}
