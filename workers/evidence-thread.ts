import '../src/domain/older-runtimes.ts';
import { type ReadEvidence, readEvidence } from '../src/domain/integrity/evidence/reading.ts';
import { formatLibraries } from './evidence-formats/libraries.ts';
import { type PackedError, packError } from './packing.ts';
import { lowerPriority } from './thread-priority.ts';

export interface EvidenceTask {
  readonly file: Uint8Array;
  readonly maxDepth: number;
  readonly kind: string | undefined;
}

export type EvidenceAnswer = ReadEvidence | { readonly error: PackedError };

lowerPriority();

export default async function run({ file, maxDepth, kind }: EvidenceTask): Promise<EvidenceAnswer> {
  try {
    return await readEvidence(file, maxDepth, formatLibraries, kind);
  } catch (error) {
    return { error: packError(error) };
  }
}
