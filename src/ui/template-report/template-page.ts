import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import { bareId, counted } from '../../contract/words/text.ts';
import { resultLabel, verdictWords } from '../../contract/words/verdicts.ts';
import type { Verdict } from '../../domain/integrity/policies/verdict.ts';
import type { Html } from '../header.ts';
import { reportPolicy } from '../report/report-page.ts';
import { byteSize, foreign, plain, when } from '../report/words.ts';
import { checkingSection } from './checking.ts';
import { namesIn } from './names.ts';
import { References, type ReportedSubject, type TemplateReport } from './references.ts';
import { chapterSections, contentsList, evidenceSection, gapsSection } from './subject.ts';

const style = ['../report/report.css', '../report/media.css', 'template.css']
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');
const subjectsShown = 5;
const longestText = 2_000;

/**
 * A filled template as one file that needs no other: gaps first, then its chapters, then the evidence. `html` escapes every
 * inserted value that is not made by `html` itself.
 */
export async function templatePage(report: TemplateReport): Promise<string> {
  const { policy, check } = report;
  const { name, title = name, description } = policy.document;
  const subjects = subjectsOf(report);
  const [first] = subjects;
  const named = first ? first.subject.named(first.subject.facts.subject) : 'nothing';
  const more = check.verdicts.length > 1 ? ` and ${check.verdicts.length - 1} more` : '';
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${plain(title)}: ${plain(named)}${more}</title>
<style>${raw(style)}</style>
</head>
<body>
<header><p>${foreign(title, longestText)}</p><h1>${foreign(named)}${more}</h1><p>${when(Date.parse(check.checkedAt))}, by Cairn</p></header>
<main>
${description === undefined ? '' : html`<p class="notice">${foreign(description, longestText)}</p>`}
${subjects.map(
  (
    parts,
  ) => html`${subjects.length > 1 ? html`<h2 class="of">${foreign(parts.subject.named(parts.subject.facts.subject))}</h2>` : ''}
${box(parts.verdict)}
<nav aria-label="Contents"><h2>Contents</h2>${contentsList(parts)}</nav>
${gapsSection(parts)}
${chapterSections(parts)}
${evidenceSection(parts)}`,
)}
${check.verdicts.length > subjects.length ? html`<p>${counted(check.verdicts.length - subjects.length, 'further subject')} of the evidence ${check.verdicts.length - subjects.length === 1 ? 'is' : 'are'} not in this file. Name one of them to report on it.</p>` : ''}
${check.isCut ? html`<p>There are more subjects than were checked.</p>` : ''}
${aboutSection(report)}
${checkingSection(report)}
</main>
</body>
</html>
`,
  );
}

function subjectsOf({ check, facts: all, chapters, policy }: TemplateReport) {
  return check.verdicts.slice(0, subjectsShown).flatMap((verdict, at) => {
    const facts = all[at];
    if (!facts) return [];
    const key = check.verdicts.length > 1 ? `s${at + 1}` : '';
    const references = new References(key, facts);
    const subject: ReportedSubject = { key, facts, policy, named: namesIn(facts), references };
    return [{ subject, verdict, chapters: chapters[at] ?? [] }];
  });
}

const tones = { pass: 'good', fail: 'bad', cannot_tell: 'neutral' } as const;

function box({ result, rules }: Verdict): Html {
  return html`<section class="verdict ${tones[result]}" aria-label="Result">
<h2>${result === 'pass' ? 'No gaps that count' : `There are gaps (${resultLabel(result)})`}</h2>
<p>${verdictWords({ rules })} A demand is met if the evidence fulfils its condition. Whether what was stated is right and enough, people decide.</p>
</section>`;
}

function aboutSection({ policy, check, source, car, facts }: TemplateReport): Html {
  return html`<section aria-labelledby="about">
<h2 id="about">About this file</h2>
<dl>
<dt>Template</dt><dd>${foreign(policy.document.name)}</dd>
<dt>Its identifier</dt><dd><code>${policy.cid}</code></dd>
${facts.slice(0, subjectsShown).map(({ subject }) => html`<dt>Subject</dt><dd><code>${plain(bareId(subject), 500)}</code></dd>`)}
<dt>Checked</dt><dd>${when(Date.parse(check.checkedAt))}</dd>
${
  car !== undefined
    ? html`<dt>Made from</dt><dd>the evidence in ${foreign(car)}, offline</dd>`
    : source.kind === 'manifest'
      ? html`<dt>Made from</dt><dd>the manifest ${foreign(source.file)} (${byteSize(source.size)}), offline</dd>
<dt>BLAKE3 of the manifest</dt><dd><code>${source.digest}</code></dd>`
      : html`<dt>Made by</dt><dd>the Cairn service at ${foreign(source.url)}</dd>`
}
</dl>
<p>This file is not signed, and anybody can edit a file. The steps below show whether it is right.</p>
</section>`;
}
