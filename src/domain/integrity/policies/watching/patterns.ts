import { RE2JS } from '@bufbuild/re2';

const compiled = new Map<string, RE2JS>();
const patternsKept = 200;

/** A regular expression of RE2, which takes linear time. */
export function compiledPattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= patternsKept) compiled.clear();
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}

/** RE2 writes counted parts out, up to this often. */
const mostRepeats = 1_000;

/** How long a pattern is with its counted parts written out. */
export function writtenOut(pattern: string): number {
  const counts = pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
  const repeats = counts.reduce((all, [, least, most]) => all * Math.max(1, Number(most || least)), 1);
  return pattern.length * Math.min(repeats, mostRepeats);
}
