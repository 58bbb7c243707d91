import { blake3Digest } from '../../domain/integrity/cid.ts';

/** What stands for an identifier in the reference index: shorter than the identifier, and hardly ever shared. */
export function referenceTarget(identifier: string): Uint8Array {
  return blake3Digest(identifier).subarray(0, 16);
}
