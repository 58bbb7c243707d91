import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import { ruleMark } from '../../contract/words/verdicts.ts';
import type { FilledChapter, FilledSection } from '../../domain/integrity/policies/fill-chapters.ts';
import type { RuleVerdict, Verdict } from '../../domain/integrity/policies/verdict.ts';
import type { Html } from '../header.ts';
import { foreign } from '../report/words.ts';
import { evidenceTable } from './evidence.ts';
import type { ReportedSubject } from './references.ts';
import { chapterMark, gapItem, gapMarks, ruleItem } from './rules.ts';
import { shownPart } from './shown.ts';

const longestText = 2_000;

interface Parts {
  readonly subject: ReportedSubject;
  readonly verdict: Verdict;
  readonly chapters: readonly FilledChapter[];
}

/** Names of anchors. */
const ids = {
  rule: ({ key }: ReportedSubject, rules: readonly RuleVerdict[], rule: RuleVerdict) =>
    `${key}r${rules.indexOf(rule) + 1}`,
  chapter: ({ key }: ReportedSubject, at: number) => `${key}c${at + 1}`,
  section: ({ key }: ReportedSubject, at: number, inside: number) => `${key}c${at + 1}-${inside + 1}`,
};

export function contentsList({ subject, chapters }: Parts): Html {
  const { key } = subject;
  return html`<ol class="contents">
<li><a href="#${key}gaps">Gaps</a></li>
${chapters.map((chapter, at) => {
  const inside = chapter.sections.map(
    (one, place) =>
      html`<li><a href="#${ids.section(subject, at, place)}">${foreign(one.title)}</a> ${chapterMark(one)}</li>`,
  );
  return html`<li><a href="#${ids.chapter(subject, at)}">${foreign(chapter.title)}</a> ${chapterMark(chapter)}${inside.length === 0 ? '' : html`<ol>${inside}</ol>`}</li>`;
})}
<li><a href="#${key}evidence">Evidence</a></li>
</ol>`;
}

const gapTitles: Readonly<Record<(typeof gapMarks)[number], string>> = {
  fail: 'Missing',
  cannot_tell: 'Cannot be told',
  warning: 'Missing, but not demanded of all',
  excepted: 'Missing, and accepted for a while',
};

/** Everything that is not met, with what to do. */
export function gapsSection({ subject, verdict: { rules } }: Parts): Html {
  const byMark = Map.groupBy(rules, ruleMark);
  const parts = gapMarks.map((mark) => {
    const gaps = byMark.get(mark) ?? [];
    if (gaps.length === 0) return html``;
    return html`<h3>${gapTitles[mark]} (${gaps.length})</h3>
<ol class="gaps">${gaps.map((rule) => gapItem(subject, rule, ids.rule(subject, rules, rule)))}</ol>`;
  });
  const count = rules.length - (byMark.get('pass')?.length ?? 0);
  return html`<section aria-labelledby="${subject.key}gaps">
<h2 id="${subject.key}gaps">Gaps</h2>
<p>${count === 0 ? 'Every demand is met.' : `${counted(count, 'demand')} of ${rules.length} ${count === 1 ? 'is' : 'are'} not met, or cannot be told from the evidence.`}</p>
${parts}
</section>`;
}

export function chapterSections({ subject, verdict: { rules }, chapters }: Parts): Html {
  const item = (rule: RuleVerdict, isFirst: boolean) => {
    const id = ids.rule(subject, rules, rule);
    return ruleItem(subject, rule, isFirst ? id : `${id}-again`);
  };
  const seen = new Set<RuleVerdict>();
  const body = ({ text, article, rules: own, shown }: FilledSection) => html`
${article === undefined ? '' : html`<p class="article">${foreign(article, longestText)}</p>`}
${text === undefined ? '' : html`<p>${foreign(text, longestText)}</p>`}
${own.length === 0 ? '' : html`<ul class="rules">${own.map((rule) => item(rule, !seen.has(rule) && Boolean(seen.add(rule))))}</ul>`}
${shownPart(subject, shown)}`;
  return html`${chapters.map((chapter, at) => {
    const id = ids.chapter(subject, at);
    return html`<section aria-labelledby="${id}">
<h2 id="${id}">${foreign(chapter.title)} ${chapterMark(chapter)}</h2>${body(chapter)}
${chapter.sections.map(
  (one, inside) =>
    html`<h3 id="${ids.section(subject, at, inside)}">${foreign(one.title)} ${chapterMark(one)}</h3>${body(one)}`,
)}
</section>`;
  })}`;
}

/** Comes after the chapters, because they number the statements. */
export function evidenceSection({ subject }: Parts): Html {
  return html`<section aria-labelledby="${subject.key}evidence">
<h2 id="${subject.key}evidence">Evidence</h2>
<p>The statements that the chapters rest on. Times of signatures are those of their signers. A log entry proves that the statement existed by then, if its proof is verified.</p>
${evidenceTable(subject)}
</section>`;
}
