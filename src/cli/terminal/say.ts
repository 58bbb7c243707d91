import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** Tells the user something beside the result. */
export function say(io: Pick<Io, 'stderr'>, sentence: string): void {
  sayText(io, `${sentence}\n`);
}

/** The same for text that ends its lines itself. */
export function sayText({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(printable(text));
}
