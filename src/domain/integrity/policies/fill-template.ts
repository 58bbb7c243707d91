import { type Check, check, type GatheredFacts } from './check.ts';
import { type FilledChapter, fillChapters } from './fill-chapters.ts';
import type { Policy } from './read-policy.ts';

/** What a template says about each subject, with the facts that it rests on. */
export interface FilledTemplate {
  readonly check: Check;
  readonly gathered: GatheredFacts;
  /** In the order of the verdicts. */
  readonly chapters: readonly (readonly FilledChapter[])[];
}

/** Applies a template, which is a policy with chapters, and fills its chapters. */
export async function fillTemplate(
  policy: Policy,
  gathered: GatheredFacts,
  now: Date,
): Promise<FilledTemplate> {
  const answer = await check(policy, gathered, now);
  const chapters: FilledChapter[][] = [];
  for (const [at, verdict] of answer.verdicts.entries()) {
    const facts = gathered.facts[at];
    chapters.push(facts ? await fillChapters(policy, facts, verdict) : []);
  }
  return { check: answer, gathered, chapters };
}
