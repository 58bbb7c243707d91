import { policyProblemSentence } from '../../contract/policy-problems.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type GovernedPolicyPorts, governedPolicy } from '../../domain/integrity/governance/policy-rules.ts';
import { cidIn } from '../../domain/integrity/identifiers/cid.ts';
import {
  type Policy,
  type PolicyReading,
  policyLimit,
  policyOf,
  readPolicy,
} from '../../domain/integrity/policies/read-policy.ts';

/**
 * The policy that a request means: JSON, a text in YAML, or the CID of a stored policy, or of one whose controls carry rules.
 * @throws ServiceError `invalid_request` with the places of problems, `not_found`.
 */
export async function policyIn(
  ports: GovernedPolicyPorts,
  given: string | Readonly<Record<string, unknown>>,
): Promise<Policy> {
  if (typeof given !== 'string') return usablePolicy(policyOf(given));
  const cid = cidIn(given.trim());
  if (!cid) return usablePolicy(readPolicy(given));
  const governed = await governedPolicy(ports, cid);
  if (governed?.rules) return governed.rules;
  const [bytes] = await ports.blobs.readSmall([cid], policyLimit);
  if (bytes) return usablePolicy(readPolicy(Buffer.from(bytes).toString()));
  throw new ServiceError('not_found', `There is no policy ${cid.text}.`);
}

/** @throws ServiceError `invalid_request` with the places of problems. */
export function usablePolicy(reading: PolicyReading): Policy {
  if ('policy' in reading) return reading.policy;
  const details = reading.problems.map((problem) => ({
    pointer: problem.place,
    reason: `Line ${problem.line}, column ${problem.column}: ${policyProblemSentence(problem)}`,
  }));
  throw new ServiceError('invalid_request', `The policy cannot be used. ${details[0]?.reason ?? ''}`, {
    details,
  });
}
