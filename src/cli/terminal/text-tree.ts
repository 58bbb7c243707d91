/** A node of a tree in plain text. It may have several lines. */
export interface TextTree {
  readonly lines: readonly string[];
  readonly branches: readonly TextTree[];
}

/** Draws a tree with its root at the left margin. */
export function* textTree({ lines, branches }: TextTree): Generator<string> {
  const trunk = branches.length > 0 ? '│  ' : '   ';
  for (const [at, line] of lines.entries()) yield at === 0 ? line : trunk + line;
  for (const [at, branch] of branches.entries()) {
    const isLast = at === branches.length - 1;
    let margin = isLast ? '└─ ' : '├─ ';
    for (const line of textTree(branch)) {
      yield margin + line;
      margin = isLast ? '   ' : '│  ';
    }
  }
}
