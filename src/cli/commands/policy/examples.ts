import { dirname, resolve } from 'node:path';
import { type CheckAnswer, checkJson } from '../../../contract/integrity/checks.ts';
import { resultLabel } from '../../../contract/words/verdicts.ts';
import { check } from '../../../domain/integrity/policies/check.ts';
import type { Facts } from '../../../domain/integrity/policies/facts.ts';
import type { PolicyExample } from '../../../domain/integrity/policies/policy.ts';
import { readFacts } from '../../../domain/integrity/policies/read-facts.ts';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import { reasonOf } from '../../../domain/json/shape-problems.ts';
import { pathKind } from '../../client/local-files.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { failUsage } from '../../terminal/failure.ts';
import { checkOffline } from '../check/check-offline.ts';

export interface ExampleOutcome {
  readonly name: string;
  readonly result: CheckAnswer['result'];
  /** What is not as the example expects. */
  readonly differences: readonly string[];
  readonly answer: CheckAnswer;
}

const nobody = { keys: [], statusList: [], statusIssuer: [], logKey: [], signer: [], service: [] };

/**
 * Applies a policy to its own examples.
 * @param file of the policy. Manifests are relative to it. A relative one is in `cwd`.
 * @throws Failure (usage) for facts of another form and files that are no manifests.
 */
export async function* runExamples(
  policy: Policy,
  file: string,
  cwd: string,
): AsyncGenerator<ExampleOutcome> {
  for (const [index, example] of (policy.document.examples ?? []).entries()) {
    const place = `${file}: examples[${index}]`;
    const now = example.now === undefined ? new Date() : new Date(example.now);
    const answer =
      example.manifest === undefined
        ? await ofFacts(policy, factsOf(example.facts, place), now)
        : await ofManifest(policy, example, { folder: dirname(resolve(cwd, file)), place, now });
    const { result } = answer;
    yield {
      name: example.name ?? `example ${index + 1}`,
      result,
      differences: differences(answer, example),
      answer,
    };
  }
}

async function ofFacts(policy: Policy, facts: Facts, now: Date): Promise<CheckAnswer> {
  return checkJson(await check(policy, { facts: [facts], isCut: false }, now));
}

function factsOf(value: unknown, place: string): Facts {
  const read = readFacts(value);
  if ('facts' in read) return read.facts;
  const lines = read.problems.map(({ name, ...problem }) => {
    const member = name === '' ? '' : `.${name}`;
    return `${place}.facts${member} ${reasonOf(problem)}.`;
  });
  return failUsage(lines.join('\n'));
}

async function ofManifest(
  policy: Policy,
  { manifest = '', subject }: PolicyExample,
  { folder, place, now }: { readonly folder: string; readonly place: string; readonly now: Date },
): Promise<CheckAnswer> {
  const path = resolve(folder, manifest);
  const form = (await pathKind(path)) === 'file' ? await manifestForm(path) : undefined;
  if (!form)
    failUsage(`${place}.manifest must be a file that "cairn export" has made, but it is ${manifest}.`);
  const question = { subject, policy, explain: false, now };
  return (await checkOffline({ path, form }, question, [], nobody, () => {})).answer;
}

function differences({ result, verdicts }: CheckAnswer, { expect, failing }: PolicyExample): string[] {
  const found = new Set(
    verdicts
      .flatMap(({ rules }) => rules)
      .filter(isFailing)
      .map(({ name }) => name),
  );
  const missed = (failing ?? []).filter((name) => !found.has(name));
  const others = failing === undefined ? [] : [...found].filter((name) => !failing.includes(name));
  return [
    ...(result === expect
      ? []
      : [`It should be "${resultLabel(expect)}", but it is "${resultLabel(result)}".`]),
    ...missed.map((name) => `The rule "${name}" passes, but it is among failing.`),
    ...others.map((name) => `The rule "${name}" does not pass, but it is not among failing.`),
  ];
}

function isFailing({ result }: CheckAnswer['verdicts'][number]['rules'][number]): boolean {
  return result === 'fail' || result === 'cannot_tell';
}
