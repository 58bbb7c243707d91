import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import { type Origins, originsOf, type Step } from '../../domain/integrity/report/origins.ts';
import type { Report, Subject } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { drawing } from './drawing.ts';
import { runsPart } from './runs.ts';
import { wordsOf } from './standing.ts';
import { foreign, label, namesOf, titleOf, when } from './words.ts';

const sourcesShown = 12;
const usesShown = 20;

/** Section 2: what the subjects were made from. */
export function originsSection(report: Report): Html {
  const all = report.subjects.map(({ lineage }) => originsOf(lineage));
  return html`<section aria-labelledby="s2">
<h2 id="s2">2. What it was made from</h2>
${all.length === 0 ? html`<p>Nothing here says what anything was made from.</p>` : ''}
${all.map((origins) => ofOne(report, origins, all.length > 1))}
${runsPart(report)}
${report.subjects.map((subject) => usesOf(report, subject))}
</section>`;
}

function ofOne(report: Report, origins: Origins, isOneOfMany: boolean): Html {
  const heading = isOneOfMany ? html`<h3>${foreign(titleOf(report, origins.start))}</h3>` : '';
  if (origins.steps.size === 0)
    return html`${heading}<p>No statement here says what ${foreign(titleOf(report, origins.start))} was made from.</p>`;
  const things = new Set(
    [...origins.steps.values()].flatMap(({ inputs, programs }) => [...inputs, ...programs]),
  );
  const ends = [...things].filter((id) => !origins.madeBy.has(id));
  const groups = Object.groupBy(ends, (id) => (origins.cut.has(id) ? 'left' : 'sources'));
  const { left = [], sources = [] } = groups;
  const isCut = origins.cut.size > 0 ? 'at least ' : '';
  return html`${heading}
<p>${foreign(titleOf(report, origins.start))} was made in ${isCut}${counted(origins.steps.size, 'computation')} from ${isCut}${counted(things.size, 'thing')}.${sources.length > 0 ? html` The trail begins with ${namesOf(report, sources, sourcesShown)}: no statement here says what ${sources.length === 1 ? 'that was' : 'those were'} made from.` : ''}${left.length > 0 ? ` There is more to know about the origins of ${counted(left.length, 'thing')} than this report follows.` : ''}</p>
${drawing(report, origins)}
<h3>The same in words</h3>
${originsList(report, origins)}`;
}

function usesOf(report: Report, { id, uses, hasMoreUses }: Subject): Html {
  if (uses.length === 0) return html``;
  const more = uses.length > usesShown || hasMoreUses;
  return html`<h3>What ${foreign(titleOf(report, id))} was used for</h3>
<ul>${uses.slice(0, usesShown).map(({ step, outputs }) => use(report, step, outputs))}${more ? html`<li class="quiet">and more</li>` : ''}</ul>`;
}

function use(report: Report, step: string, outputs: readonly string[]): Html {
  const statement = report.statements.find(({ id }) => id === step);
  return html`<li><strong>${foreign(titleOf(report, step))}</strong> made ${namesOf(report, outputs)}${statement?.time ? html` on ${when(statement.time)}` : ''}${statement ? html` <span class="quiet">(${wordsOf(statement)})</span>` : ''}</li>`;
}

/** Longer rows of inputs and longer lists are folded. */
const inputsShown = 12;
const mostLines = 150;
const deepest = 24;
const operatorsShown = 3;

/** What a thing was made from, as an indented list. Each thing is shown with its origins once. */
function originsList(report: Report, origins: Origins): Html {
  const shown = new Set<string>();
  const statements = new Map(report.statements.map((statement) => [statement.id, statement]));
  const missing = new Set(report.missing);
  let lines = 0;

  const thing = (id: string, role: string, depth: number): Html => {
    lines += 1;
    const makers = origins.madeBy.get(id) ?? [];
    const isAgain = shown.has(id);
    shown.add(id);
    const cut = origins.cut.get(id) ?? 0;
    return html`<li>${role}${label(report, id)}${
      missing.has(id) ? html` <span class="quiet">(not included)</span>` : ''
    }${
      makers.length > 0 && isAgain ? html` <span class="quiet">(see above)</span>` : ''
    }${makers.length === 0 && cut > 0 ? html` <span class="quiet">(origins not followed)</span>` : ''}${
      isAgain ? '' : makers.map((maker) => step(origins.steps.get(maker), depth))
    }</li>`;
  };

  const step = (one: Step | undefined, depth: number): Html => {
    if (!one) return html``;
    const name = html`made by <strong>${foreign(titleOf(report, one.id))}</strong>`;
    if (shown.has(one.id)) return html`<p class="step">${name} <span class="quiet">(see above)</span></p>`;
    shown.add(one.id);
    const statement = statements.get(one.id);
    const by =
      one.operators.length > 0 ? html`, run by ${namesOf(report, one.operators, operatorsShown)}` : '';
    const ends = [
      ...one.programs.map((id) => ({ id, role: 'with the program ' })),
      ...one.inputs.map((id) => ({ id, role: 'from ' })),
    ];
    const fits = depth < deepest ? Math.min(inputsShown, Math.max(mostLines - lines, 0)) : 0;
    const rest = ends.length - fits;
    return html`<p class="step">${name}${
      statement?.time ? html` on ${when(statement.time)}` : ''
    }${by}${statement ? html` <span class="quiet">(${wordsOf(statement)})</span>` : ''}</p>
<ul>${ends.slice(0, fits).map(({ id, role }) => thing(id, role, depth + 1))}${
      rest > 0
        ? html`<li class="quiet">and ${counted(rest, 'more thing')} that ${rest === 1 ? 'is' : 'are'} not listed here</li>`
        : ''
    }</ul>`;
  };

  const start = origins.steps.get(origins.start);
  return html`<ul class="origins">${
    start ? html`<li>${label(report, origins.start)}${step(start, 0)}</li>` : thing(origins.start, '', 0)
  }</ul>`;
}
