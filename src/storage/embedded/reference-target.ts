import { hash } from 'node:crypto';

/** What stands for an identifier in the reference index: shorter than the identifier, and hardly ever shared. */
export function referenceTarget(identifier: string): Buffer {
  return hash('sha256', identifier, 'buffer').subarray(0, 16);
}
