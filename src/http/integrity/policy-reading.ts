import { policyProblemSentence } from '../../contract/policy-problems.ts';
import type { Principal } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ContentReach } from '../../domain/integrity/access/content-reach.ts';
import { type GovernedPolicyPorts, governedPolicy } from '../../domain/integrity/governance/policy-rules.ts';
import { cidIn } from '../../domain/integrity/identifiers/cid.ts';
import {
  type Policy,
  type PolicyReading,
  policyLimit,
  policyOf,
  readPolicy,
} from '../../domain/integrity/policies/read-policy.ts';

export interface PolicyPorts extends GovernedPolicyPorts {
  readonly reach: Pick<ContentReach, 'visibility' | 'blob'>;
}

/**
 * The policy that a request means: JSON, a text in YAML, or the CID of a stored policy that the caller may read, or of one whose
 * controls carry rules.
 * @throws ServiceError `invalid_request` with the places of problems, `not_found`.
 */
export async function policyIn(
  ports: PolicyPorts,
  { grants }: Pick<Principal, 'grants'>,
  given: string | Readonly<Record<string, unknown>>,
): Promise<Policy> {
  if (typeof given !== 'string') return usablePolicy(policyOf(given), { isText: false });
  const cid = cidIn(given.trim());
  if (!cid) return usablePolicy(readPolicy(given), { isText: true });
  if (await grants.anywhere('view_project_data')) {
    const governed = await governedPolicy(ports, cid);
    if (governed?.rules) return usablePolicy(governed.rules, { isText: false });
    const isReached = await ports.reach.blob(cid, await ports.reach.visibility(grants));
    const [bytes] = isReached ? await ports.blobs.readSmall([cid], policyLimit) : [];
    const reading = bytes && readPolicy(Buffer.from(bytes).toString());
    if (governed && reading && 'problems' in reading)
      throw new ServiceError(
        'invalid_request',
        `No control of the policy ${cid.text} carries a rule, so it decides nothing. Register it with rules in its controls, or name another policy.`,
      );
    if (reading) return usablePolicy(reading, { isText: true });
  }
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
