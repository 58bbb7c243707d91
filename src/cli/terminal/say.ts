import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** Tells the user something beside the result. */
export function say({ stderr }: Pick<Io, 'stderr'>, sentence: string): void {
  stderr.write(`${printable(sentence)}\n`);
}
