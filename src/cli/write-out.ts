import { once } from 'node:events';

/** Writes to standard output, as fast as its reader reads. */
export async function writeOut(chunk: Uint8Array | string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}
