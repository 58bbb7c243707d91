import type { PolicyDocument } from './policy.ts';
import type { Doubt, Missing } from './watching/doubts.ts';
import type { Withdrawn } from './withdrawn.ts';

export type RuleResult = 'pass' | 'fail' | 'cannot_tell' | 'excepted';

/** What a policy says about a subject, as data. The sentences are in `src/contract/words/verdicts.ts`. */
export interface Verdict {
  readonly result: 'pass' | 'fail' | 'cannot_tell';
  /** The CID of the policy. */
  readonly policy: string;
  readonly subject: string;
  readonly checkedAt: string;
  readonly rules: readonly RuleVerdict[];
}

export interface RuleVerdict {
  readonly name: string;
  readonly severity: 'error' | 'warning';
  /** `excepted`: it failed, and somebody has accepted that until a time. */
  readonly result: RuleResult;
  readonly message?: string;
  readonly article?: string;
  readonly exception?: NonNullable<PolicyDocument['rules'][number]['exception']>;
  /** The statements that decided, up to one more than `mostStatements`. */
  readonly decidedBy: readonly string[];
  /** Facts that it looked for in vain. */
  readonly missing: readonly Missing[];
  /** Why it cannot be told. */
  readonly doubts: readonly Doubt[];
  /** What it would have counted if it stood, unless it passes or there is nothing. */
  readonly withdrawn?: readonly Withdrawn[];
  /** Of a rule with `for`: how often it was applied, and the things that decided. */
  readonly things: { readonly count: number; readonly deciding: readonly string[] } | null;
}

/** Answers and reports list so many of the statements that decided. */
export const statementsListed = 100;
/** The document of a certificate names all of them, up to so many. More would keep a service busy whenever somebody looks at it. */
export const mostStatements = 10_000;

/** A failure counts more than a doubt, and a doubt more than a pass. */
export function resultOfAll(results: readonly RuleResult[]): Verdict['result'] {
  if (results.includes('fail')) return 'fail';
  return results.includes('cannot_tell') ? 'cannot_tell' : 'pass';
}

const dayMs = 86_400_000;

/** When an exception ends, in milliseconds since 1970. A day ends 24 hours after its begin in UTC. */
export function endOfException(until: string): number {
  return Date.parse(until) + (until.includes('T') ? 0 : dayMs);
}

/** When the first of the exceptions ends that a verdict rests on, in milliseconds since 1970; Infinity if it rests on none. */
export function firstEndOfExceptions(rules: readonly Pick<RuleVerdict, 'result' | 'exception'>[]): number {
  const ends = rules.flatMap(({ result, exception }) =>
    result === 'excepted' && exception ? endOfException(exception.until) : [],
  );
  return Math.min(...ends);
}
