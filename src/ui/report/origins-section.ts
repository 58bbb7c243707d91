import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import { type Origins, originsOf } from '../../domain/integrity/report/origins.ts';
import type { Report, Subject } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { drawing } from './drawing.ts';
import { originsList } from './origins-list.ts';
import { wordsOf } from './standing.ts';
import { foreign, namesOf, titleOf, when } from './words.ts';

const sourcesShown = 12;
const usesShown = 20;

/** Section 2: what the subjects were made from. */
export function originsSection(report: Report): Html {
  const all = report.subjects.map(({ lineage }) => originsOf(lineage));
  return html`<section aria-labelledby="s2">
<h2 id="s2">2. What it was made from</h2>
${all.length === 0 ? html`<p>Nothing here says what anything was made from.</p>` : ''}
${all.map((origins) => ofOne(report, origins, all.length > 1))}
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
  const [left, sources] = [
    ends.filter((id) => origins.cut.has(id)),
    ends.filter((id) => !origins.cut.has(id)),
  ];
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
