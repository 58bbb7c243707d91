import { html } from 'hono/html';
import { harmless } from '../../contract/words/text.ts';
import { type RuleMark, ruleMark, ruleMarks, ruleReasons } from '../../contract/words/verdicts.ts';
import { commandsThatAdd } from '../../domain/integrity/policies/facts-table/missing-command.ts';
import type { FilledSection } from '../../domain/integrity/policies/fill-chapters.ts';
import { type RuleVerdict, statementsListed } from '../../domain/integrity/policies/verdict.ts';
import type { Html } from '../header.ts';
import { badge } from '../parts.ts';
import { foreign, plain } from '../report/words.ts';
import type { ReportedSubject } from './references.ts';

const longestSentence = 2_000;
const reasonsShown = 8;
const commandsShown = 4;

/** A rule in its chapter: the demand, whether it is met, and the statements that decided. */
export function ruleItem(subject: ReportedSubject, rule: RuleVerdict, id: string): Html {
  const { name, decidedBy, result } = rule;
  const rest =
    decidedBy.length > 0
      ? subject.references.links(decidedBy.slice(0, statementsListed))
      : html`no statement`;
  return html`<li id="${id}" class="rule">${mark(rule)} <strong>${foreign(name)}</strong>
${result === 'pass' ? '' : reasons(subject, rule)}
<p class="quiet">${result === 'pass' ? 'Rests on' : 'Looked at'}: ${rest}</p>
</li>`;
}

/** A rule that is not met: what is missing, and what would add it. */
export function gapItem(subject: ReportedSubject, rule: RuleVerdict, address: string): Html {
  const { name, message, article } = rule;
  const commands = message === undefined ? commandsThatAdd(rule).slice(0, commandsShown) : [];
  return html`<li class="gap">${mark(rule)} <strong><a href="#${address}">${foreign(name)}</a></strong>
${article === undefined ? '' : html`<p class="quiet">${foreign(article, longestSentence)}</p>`}
${message === undefined ? '' : html`<p class="step-to-take">${withCode(message)}</p>`}
${reasons(subject, rule)}
${commands.map((command) => html`<pre tabindex="0"><code>${command}</code></pre>`)}
</li>`;
}

/** A message of a policy. What stands between backticks is code. */
function withCode(text: string): Html {
  const parts = text.slice(0, longestSentence).split('`');
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${plain(part, longestSentence)}</code>` : foreign(part, longestSentence)))}`;
}

function reasons({ named }: ReportedSubject, rule: RuleVerdict): Html {
  // The message says what to do, and stands apart.
  const message = harmless(rule.message ?? '', longestSentence);
  // What a policy could say instead does not help its readers.
  const doubts = rule.doubts.filter(({ code }) => code !== 'nothing_found');
  const nothing = doubts.length < rule.doubts.length ? ['There is nothing here to which this applies.'] : [];
  const found = ruleReasons({ ...rule, doubts }, named).filter((reason) => reason !== message);
  const all = [...nothing, ...found];
  const more = all.length - reasonsShown;
  return html`<ul class="reasons">${all.slice(0, reasonsShown).map((reason) => html`<li>${foreign(reason, longestSentence)}</li>`)}${more > 0 ? html`<li>And ${more} more reasons.</li>` : ''}</ul>`;
}

function mark(rule: Pick<RuleVerdict, 'result' | 'severity'>): Html {
  const { tone, label } = ruleMarks[ruleMark(rule)];
  return badge(tone, label);
}

/** The result of a chapter. Rules that only warn show if there are no others. */
export function chapterMark({ result, rules }: Pick<FilledSection, 'result' | 'rules'>): Html {
  if (result !== undefined) return mark({ result, severity: 'error' });
  const worst = rules.find((rule) => rule.result !== 'pass') ?? rules[0];
  return worst ? mark(worst) : html``;
}

/** Rules that are not met, the gravest first. */
export const gapMarks = ['fail', 'cannot_tell', 'warning', 'excepted'] as const satisfies RuleMark[];
