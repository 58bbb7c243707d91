import { once } from 'node:events';
import type { Io } from './io.ts';

/** Control characters and characters that change the text direction, except line feeds. */
const unprintable = /(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes untrusted text for a terminal, so that it cannot move the cursor or change earlier output. JSON keeps its
 * meaning.
 */
export function printable(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(unprintable, escaped);
}

/** Like `printable`, in one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}

/** Tells the user something beside the result. */
export function say(io: Pick<Io, 'stderr'>, sentence: string): void {
  sayText(io, `${sentence}\n`);
}

/** The same for text that ends its lines itself. */
export function sayText({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(printable(text));
}

/** Writes text or JSON, which may contain untrusted parts, to standard output. */
export async function writeText(io: Pick<Io, 'stdout'>, text: string): Promise<void> {
  await write(io, printable(text));
}

/** JSON for people to read. */
export function indented(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Writes content to standard output as it is, for files and pipes. */
export async function writeBytes(io: Pick<Io, 'stdout'>, bytes: Uint8Array): Promise<void> {
  await write(io, bytes);
}

async function write({ stdout }: Pick<Io, 'stdout'>, chunk: Uint8Array | string): Promise<void> {
  if (!stdout.write(chunk)) await once(stdout, 'drain');
}

export function table(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  const cells = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return rows.map((row) => `${cells(row).join('  ').trimEnd()}\n`).join('');
}

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
