import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import type { Origins, Step } from '../../domain/integrity/report/origins.ts';
import type { Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { wordsOf } from './standing.ts';
import { foreign, label, namesOf, titleOf, when } from './words.ts';

/** Longer rows of inputs and longer lists are folded. */
const inputsShown = 12;
const mostLines = 150;
const deepest = 24;
const operatorsShown = 3;

/** What a thing was made from, as an indented list. Each thing is shown with its origins once. */
export function originsList(report: Report, origins: Origins): Html {
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
