import { once } from 'node:events';
import { printable } from './printable.ts';

/** Writes text for people, or JSON, in which something of a file or of the service can stand. */
export async function writeText(text: string): Promise<void> {
  await writeOut(printable(text));
}

/** Writes to standard output, as fast as its reader reads. */
export async function writeOut(chunk: Uint8Array | string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}
