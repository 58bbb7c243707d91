import { z } from 'zod';
import type { Evidence, Thing } from '../evidence.ts';
import { shaped } from '../shaped.ts';
import { buildTime } from './build-facts.ts';

const text = z.string();

/** SLSA verification summaries v1 and v0.2 (https://slsa.dev/spec/v1.0/verification_summary). */
const summary = z
  .looseObject({
    verifier: z.looseObject({ id: text.min(1) }),
    timeVerified: buildTime,
    resourceUri: text.min(1),
    policy: z.looseObject({ uri: text.nullish() }),
    verificationResult: z.enum(['PASSED', 'FAILED']).optional(),
    verification_result: z.enum(['PASSED', 'FAILED']).optional(),
    verifiedLevels: z.array(text).nullish(),
  })
  .refine((one) => one.verificationResult ?? one.verification_result, {
    error: 'must be PASSED or FAILED',
    path: ['verificationResult'],
  });

/** What a verifier has found of the subjects. @throws EvidenceProblem. */
export function readVerificationSummary(predicate: object, subjects: readonly Thing[]): Evidence {
  const said = shaped(summary, predicate, 'The verification summary', '/predicate');
  const { verifier, timeVerified, resourceUri, policy, verifiedLevels } = said;
  const document = {
    verification_result: said.verificationResult ?? said.verification_result,
    verifier: verifier.id,
    resource_uri: resourceUri,
    ...(timeVerified && { time_verified: timeVerified }),
    ...(policy.uri && { policy: policy.uri }),
    ...(verifiedLevels && { verified_levels: verifiedLevels }),
  };
  return {
    ...(timeVerified && { time: timeVerified }),
    about: subjects,
    descriptions: subjects.map((about) => ({ about, document })),
  };
}
