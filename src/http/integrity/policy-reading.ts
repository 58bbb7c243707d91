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
  if (typeof given !== 'string') return usablePolicy(policyOf(given), { isText: false });
  const cid = cidIn(given.trim());
  if (!cid) return usablePolicy(readPolicy(given), { isText: true });
  const governed = await governedPolicy(ports, cid);
  if (governed?.rules) return usablePolicy(governed.rules, { isText: false });
  const [bytes] = await ports.blobs.readSmall([cid], policyLimit);
  if (bytes) return usablePolicy(readPolicy(Buffer.from(bytes).toString()), { isText: true });
  throw new ServiceError('not_found', `There is no policy ${cid.text}.`);
}

/**
 * @param isText JSON has places, and no lines that its sender knows.
 * @throws ServiceError `invalid_request` with the places of problems.
 */
export function usablePolicy(reading: PolicyReading, { isText }: { readonly isText: boolean }): Policy {
  if ('policy' in reading) return reading.policy;
  const details = reading.problems.map((problem) => {
    const { place: pointer, line, column } = problem;
    const where = isText ? `Line ${line}, column ${column}` : pointer;
    const sentence = policyProblemSentence(problem);
    return { pointer, reason: where === '' ? sentence : `${where}: ${sentence}` };
  });
  throw new ServiceError('invalid_request', `The policy cannot be used. ${details[0]?.reason ?? ''}`, {
    details,
  });
}
