import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import { parseTime } from '../../domain/integrity/identifiers/timestamp.ts';
import type { Governance, Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { standing } from './standing.ts';
import { foreign, label, nameOrId, when } from './words.ts';

const shown = 50;
const kinds = {
  declaration: 'Declaration',
  review: 'Review',
  certificate: 'Certificate',
  document: 'Document',
} as const;

/** Declarations, reviews and certificates about what is in the report. */
export function governanceTable(report: Report): Html {
  const { governance } = report;
  if (governance.length === 0)
    return html`<h3>Approvals</h3><p>There are no declarations, reviews or certificates here about any of this.</p>`;
  return html`<h3>Approvals</h3>
<p>What the registered documents say. Decisions can be withdrawn by a later review, which may be missing here.</p>
<table>
<thead><tr><th scope="col">What</th><th scope="col">About</th><th scope="col">By, as the document says</th><th scope="col">Its statement</th></tr></thead>
<tbody>${governance.slice(0, shown).map((one) => row(report, one))}</tbody>
</table>
${governance.length > shown ? html`<p>And ${counted(governance.length - shown, 'further document')}.</p>` : ''}`;
}

function row(report: Report, { kind, verdict, by, at, until, text, subject, statement }: Governance): Html {
  const found = report.statements.find(({ id }) => id === statement);
  return html`<tr>
<td data-label="What">${kinds[kind]}${verdict === undefined ? '' : html`: <strong>${foreign(verdict.replaceAll('_', ' '))}</strong>`}${text === undefined ? '' : html`<br>“${foreign(text, 400)}”`}</td>
<td data-label="About">${label(report, subject)}</td>
<td data-label="By">${by === undefined ? 'not named' : nameOrId(report, by)}${at === undefined ? '' : html`<br>${moment(at)}`}${until === undefined ? '' : html`<br>until ${moment(until)}`}</td>
<td data-label="Its statement">${found ? standing(report, found) : ''}</td>
</tr>`;
}

/** Documents have times in any form. */
function moment(text: string): Html {
  const time = parseTime(text);
  return time === null ? foreign(text, 40) : when(time);
}
