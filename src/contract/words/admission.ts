import type { CheckAnswer } from '../integrity/checks.ts';
import { counted, harmless, shortId } from './text.ts';
import { type RuleMark, ruleMark, ruleReasons, withdrawnWords } from './verdicts.ts';

/** What is known about an image of a pod. */
export type ImageFinding =
  | { readonly image: string; readonly outcome: 'exempt' }
  | { readonly image: string; readonly outcome: 'no_digest' }
  | { readonly image: string; readonly outcome: 'unknown' }
  | { readonly image: string; readonly outcome: 'not_asked'; readonly reason: string }
  | { readonly image: string; readonly outcome: CheckAnswer['result']; readonly check: CheckAnswer };

/** kubectl shows all of a message, and an API server cuts warnings. */
const reasonLength = 240;
const imagesShown = 5;
const nameLength = 300;

/** One sentence, or two, about an image that the policy does not let in. */
export function findingWords(finding: ImageFinding, policy: string): string {
  const { image, outcome } = finding;
  const name = oneLine(image, nameLength);
  if (outcome === 'no_digest')
    return `${name} has no sha256 digest of 64 lower-case hexadecimal digits, and evidence is about a digest. Write it as ${withoutTag(name)}@sha256:….`;
  if (outcome === 'unknown')
    return `${name} does not pass the policy ${policy}: nothing is known about this digest. Record its evidence, for example with "cairn import".`;
  if (outcome === 'not_asked') return `${name} could not be checked: ${finding.reason}`;
  if (outcome === 'exempt' || outcome === 'pass') return `${name} is admitted.`;
  const { said, more } = firstReason(finding.check);
  const others = more === 0 ? '' : ` ${counted(more, 'more rule does', 'more rules do')} not pass.`;
  const digest = image.slice(image.indexOf('@') + 1);
  return `${name} does not pass the policy ${policy}: ${said}${others} See: cairn check ${digest} --policy ${policy}.yaml`;
}

/** What rules with the severity `warning` say about an image that passes. */
export function warningsOf(finding: ImageFinding): string[] {
  if (finding.outcome !== 'pass') return [];
  const name = oneLine(finding.image, nameLength);
  return reasonsOf(finding.check, 'warning').map((reason) => oneLine(`${name}: ${reason}`));
}

export function unknownPolicyWords(policy: string | undefined, known: readonly string[]): string {
  const which =
    policy === undefined
      ? 'The label cairn.dev/policy of this namespace names no policy that is installed.'
      : `There is no policy "${oneLine(policy)}".`;
  return `${which} Installed are: ${known.join(', ')}.`;
}

/** The first sentences, and how many more there are. */
export function firstFew(sentences: readonly string[]): string[] {
  const left = sentences.length - imagesShown;
  if (left <= 0) return [...sentences];
  return [...sentences.slice(0, imagesShown), `There are ${left} more.`];
}

/** Of the first rule that fails, or else the first that cannot be told. */
function firstReason(check: CheckAnswer): { readonly said: string; readonly more: number } {
  const [first, ...others] = [...reasonsOf(check, 'fail'), ...reasonsOf(check, 'cannot_tell')];
  return { said: first ?? 'More is known about it than could be read.', more: others.length };
}

/** A reason for each rule with a mark, behind its name, and what was withdrawn. */
function reasonsOf({ verdicts }: CheckAnswer, mark: RuleMark): string[] {
  return verdicts.flatMap(({ subject, rules }) => {
    const named = (id: string) => (id === subject ? 'the image' : shortId(id));
    return rules
      .filter((rule) => ruleMark(rule) === mark)
      .map((rule) => {
        const [reason = ''] = ruleReasons({ ...rule, withdrawn: [] }, named);
        const gone = (rule.withdrawn ?? []).slice(0, 1).map(withdrawnWords);
        return [`${rule.name}: ${reason}`, ...gone].map((words) => oneLine(words)).join(' ');
      });
  });
}

function withoutTag(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
}

function oneLine(text: string, most = reasonLength): string {
  return harmless(text, most).replaceAll(/\s+/g, ' ');
}
