import { once } from 'node:events';
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** Writes text or JSON, which may contain untrusted parts, to standard output. */
export async function writeText(io: Pick<Io, 'stdout'>, text: string): Promise<void> {
  await write(io, printable(text));
}

/** Writes content to standard output as it is, for files and pipes. */
export async function writeBytes(io: Pick<Io, 'stdout'>, bytes: Uint8Array): Promise<void> {
  await write(io, bytes);
}

async function write({ stdout }: Pick<Io, 'stdout'>, chunk: Uint8Array | string): Promise<void> {
  if (!stdout.write(chunk)) await once(stdout, 'drain');
}
