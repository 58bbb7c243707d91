/** The word that needs the fewest changes of letters to become another. */
export function nearest(word: string, others: readonly string[]): string {
  const distance = (other: string) => editDistance(word.toLowerCase(), other.toLowerCase());
  return others.toSorted((one, other) => distance(one) - distance(other))[0] ?? '';
}

/** Levenshtein's distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 0; column < other.length; column += 1) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other[column] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
