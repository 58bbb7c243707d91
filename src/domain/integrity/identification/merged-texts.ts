/** The parts of a template, with neighbouring texts as one. */
export function mergedTexts<Gap>(parts: readonly (string | Gap)[]): (string | Gap)[] {
  const all: (string | Gap)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}
