import { open } from 'node:fs/promises';
import type { ManifestForm } from '../domain/integrity/manifest-carrier.ts';

const headBytes = 1_024;
/** With what a manifest begins, and a statement does not. */
const jsonStart = /^\s*\{\s*"(?:version|contexts|statements|blobs|anchors)"\s*:/;

/** In which form a file seems to hold a manifest; undefined when it does not look like one. */
export async function manifestForm(path: string): Promise<ManifestForm | undefined> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  if (jsonStart.test(head.toString())) return 'json';
  return isCar(head) ? 'car' : undefined;
}

/** A CAR begins with the length of its header, which is CBOR with `roots` (version 1) or `version` alone (2). */
function isCar(head: Buffer): boolean {
  return /^.{1,3}?(?:\xa2eroots|\xa1gversion)/s.test(head.toString('latin1', 0, 20));
}
