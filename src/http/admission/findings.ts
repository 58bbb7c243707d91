import type { CheckAnswer } from '../../contract/integrity/checks.ts';
import type { ImageFinding } from '../../contract/words/admission.ts';
import { digestOf, isBelow } from '../../domain/admission/pod-images.ts';
import { ServiceError } from '../../domain/errors.ts';

/** A policy by the name of its file, and how to ask whether a digest passes it. */
export interface GatePolicy {
  readonly name: string;
  /** Null: nothing is known about it. */
  readonly check: (digest: string) => Promise<CheckAnswer | null>;
}

/** What is known about each image. All are asked for at once; the client of the service bounds how many it sends. */
export async function findingsOf(
  images: readonly string[],
  policy: GatePolicy,
  exempt: readonly string[],
): Promise<ImageFinding[]> {
  return await Promise.all(images.map((image) => findingOf(image, policy, exempt)));
}

async function findingOf(
  image: string,
  policy: GatePolicy,
  exempt: readonly string[],
): Promise<ImageFinding> {
  if (isBelow(image, exempt)) return { image, outcome: 'exempt' };
  const digest = digestOf(image);
  if (digest === undefined) return { image, outcome: 'no_digest' };
  try {
    const check = await policy.check(digest);
    return check ? { image, outcome: check.result, check } : { image, outcome: 'unknown' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { image, outcome: 'not_asked', reason: error.message };
  }
}
