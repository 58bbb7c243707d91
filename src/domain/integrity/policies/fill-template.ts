import type { Check } from './check.ts';
import type { Facts } from './facts.ts';
import { type FilledChapter, fillChapters } from './fill-chapters.ts';
import type { Policy } from './read-policy.ts';

/** What a template, which is a policy with chapters, says about each subject, with the facts that it rests on. */
export interface FilledTemplate {
  readonly policy: Policy;
  readonly check: Check;
  /** Of each verdict. */
  readonly facts: readonly Facts[];
  /** Of each verdict. */
  readonly chapters: readonly (readonly FilledChapter[])[];
}

/** Fills the chapters of a template that was checked. */
export async function fillTemplate(
  policy: Policy,
  { check, facts }: Pick<FilledTemplate, 'check' | 'facts'>,
): Promise<FilledTemplate> {
  const chapters: FilledChapter[][] = [];
  for (const [at, verdict] of check.verdicts.entries()) {
    const about = facts[at];
    chapters.push(about ? await fillChapters(policy, about, verdict) : []);
  }
  return { policy, check, facts, chapters };
}

/** How many demands are not met, or cannot be told, those that only warn included. */
export function gapsIn({ verdicts }: Check): number {
  return verdicts.flatMap(({ rules }) => rules).filter(({ result }) => result !== 'pass').length;
}
