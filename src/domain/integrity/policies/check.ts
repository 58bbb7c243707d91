import { evaluate } from './evaluate.ts';
import type { Facts } from './facts.ts';
import type { Policy } from './read-policy.ts';
import { resultOfAll, type Verdict } from './verdict.ts';

/** What a policy says about the subjects that were asked about: one, or the results of a graph or a manifest. */
export interface Check {
  readonly result: Verdict['result'];
  /** The CID of the policy. */
  readonly policy: string;
  readonly checkedAt: string;
  /** Whether there are more subjects than were checked. Then the check does not pass. */
  readonly isCut: boolean;
  readonly verdicts: readonly Verdict[];
}

/** What was read about the subjects, by one of the ways of reading: from a service or from a manifest. */
export interface GatheredFacts {
  /** One for each subject. */
  readonly facts: readonly Facts[];
  readonly isCut: boolean;
}

/** Applies a policy to each subject. */
export async function check(policy: Policy, { facts, isCut }: GatheredFacts, now: Date): Promise<Check> {
  const verdicts: Verdict[] = [];
  for (const about of facts) verdicts.push(await evaluate(policy, about, now));
  const results = [...verdicts.map(({ result }) => result), ...(isCut ? ['cannot_tell' as const] : [])];
  return {
    result: verdicts.length === 0 ? 'cannot_tell' : resultOfAll(results),
    policy: policy.cid,
    checkedAt: now.toISOString(),
    isCut,
    verdicts,
  };
}
