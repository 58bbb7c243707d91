import { once } from 'node:events';
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** Writes text for people, or JSON, in which something of a file or of the service can stand. */
export async function writeText(io: Pick<Io, 'stdout'>, text: string): Promise<void> {
  await writeOut(io, printable(text));
}

/** Writes to standard output, as fast as its reader reads. */
export async function writeOut({ stdout }: Pick<Io, 'stdout'>, chunk: Uint8Array | string): Promise<void> {
  if (!stdout.write(chunk)) await once(stdout, 'drain');
}
