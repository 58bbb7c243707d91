import type { CheckAnswer } from '../../../contract/integrity/checks.ts';
import { bareId, shortId } from '../../../contract/words/text.ts';
import {
  resultLabel,
  ruleMark,
  ruleMarks,
  ruleReasons,
  verdictWords,
} from '../../../contract/words/verdicts.ts';
import { commandsThatAdd } from '../../../domain/integrity/policies/facts-table/missing-command.ts';
import { printableLine } from '../../terminal/output.ts';

type Verdict = CheckAnswer['verdicts'][number];
type Rule = Verdict['rules'][number];
type Named = (id: string) => string;

const statementsShown = 3;
const commandsShown = 3;
const reasonsShown = 10;

/** A check for people: each rule with its result, why, and what to do. */
export function checkText({ verdicts, truncated }: CheckAnswer, named: Named): string {
  const lines = verdicts.flatMap((verdict) => verdictLines(verdict, named));
  const more = truncated
    ? ['There are more subjects than were checked, so this does not pass. Name one of them.']
    : [];
  return [...lines, ...more].map((line) => `${printableLine(line)}\n`).join('');
}

function verdictLines(verdict: Verdict, named: Named): string[] {
  return [
    `${named(verdict.subject)}: ${resultLabel(verdict.result)}. ${verdictWords(verdict)}`,
    ...verdict.rules.flatMap((rule) => ruleLines(rule, named).map((line) => `  ${line}`)),
  ];
}

const widest = Math.max(...Object.values(ruleMarks).map(({ label }) => label.length));

/** A rule with its result, why, and what to do. */
export function ruleLines(rule: Rule, named: Named = shortId): string[] {
  const { label } = ruleMarks[ruleMark(rule)];
  const article = rule.article === undefined ? '' : ` (${rule.article})`;
  const reasons = ruleReasons(rule, named);
  const commands = rule.result === 'pass' ? [] : commandsThatAdd(rule).slice(0, commandsShown);
  const more = reasons.length - reasonsShown;
  const shown = more > 0 ? [...reasons.slice(0, reasonsShown), `And ${more} more. --json has all.`] : reasons;
  const details = [...shown, ...commands.map((command) => `$ ${command}`), ...decidedBy(rule)];
  return [
    `${label.padEnd(widest)}  ${rule.name}${article}`,
    ...details.map((line) => `${' '.repeat(widest + 4)}${line}`),
  ];
}

function decidedBy({ decided_by: ids }: Rule): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, statementsShown).map(bareId).join(', ');
  const more = ids.length > statementsShown ? ` and ${ids.length - statementsShown} more` : '';
  return [`by ${shown}${more}`];
}
