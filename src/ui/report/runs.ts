import { html } from 'hono/html';
import { durationText, flatValues, gitText, resultText, shellLine } from '../../contract/words/runs.ts';
import { counted } from '../../contract/words/text.ts';
import type { Report, ReportedRun } from '../../domain/integrity/report/report.ts';
import { type RunFacts, resultOf } from '../../domain/integrity/runs/run-document.ts';
import type { Html } from '../header.ts';
import { wordsOf } from './standing.ts';
import { actor, foreign, plain, titleOf, when } from './words.ts';

const runsShown = 40;
const valuesShown = 60;
const longestCommand = 4_000;
const longestValue = 300;

/** What was done: commands, parameters and metrics of the computations. */
export function runsPart(report: Report): Html {
  const { runs } = report;
  if (runs.length === 0) return html``;
  const rest = runs.length - runsShown;
  return html`<h3>What was done</h3>
<p>The registrants of these computations say how they ran. Nothing proves it beyond their signatures.</p>
${runs.slice(0, runsShown).map((run) => one(report, run))}
${rest > 0 ? html`<p>And ${counted(rest, 'more run')}.</p>` : ''}`;
}

function one(report: Report, { id, facts, said }: ReportedRun): Html {
  const { command, started, duration, exit_code, signal, error, git, parameters = [], metrics } = facts;
  const statement = report.statements.find((computation) => computation.id === id);
  const operators = (statement?.references ?? []).filter(({ role }) => role === 'operatedBy');
  const ending = { result: resultOf(facts), exit_code: exit_code ?? null, signal: signal ?? null };
  const row = (term: string, value: Html | string | undefined) =>
    value === undefined ? '' : html`<dt>${term}</dt><dd>${value}</dd>`;
  return html`<h4>${foreign(titleOf(report, id))}</h4>
${command ? html`<pre tabindex="0"><code>${plain(shellLine(command), longestCommand)}</code></pre>` : ''}
<dl>
${row('Result', resultText(ending))}
${row('Error', error === undefined ? undefined : foreign(error, longestValue))}
${row('Started', started === undefined ? undefined : when(Date.parse(started)))}
${row('Duration', duration === undefined ? undefined : durationText(duration))}
${row('Run by', operators.length === 0 ? undefined : html`${operators.map(({ identifier }, at) => html`${at > 0 ? ', ' : ''}${actor(report, identifier)}`)}`)}
${row('git', git ? gitOf(git) : undefined)}
${row('Trust', wordsOf(said))}
</dl>
${metrics ? valuesTable('Metrics', metrics) : ''}
${parameters.map(({ path, values }) => valuesTable(`Parameters in ${path}`, values))}
${facts.environment ? valuesTable('Environment', facts.environment) : ''}
${facts.metadata ? valuesTable('What else was said', facts.metadata) : ''}`;
}

function gitOf(git: NonNullable<RunFacts['git']>): Html {
  const commit = git.commit === undefined ? '' : html`<code>${plain(git.commit)}</code> `;
  return html`${commit}${foreign(gitText(git))}`;
}

function valuesTable(title: string, values: Readonly<Record<string, unknown>>): Html {
  const rows = [...flatValues(values)];
  const shown = rows.slice(0, valuesShown);
  if (rows.length === 0) return html``;
  return html`<table class="values">
<thead><tr><th scope="col" colspan="2">${plain(title)}</th></tr></thead>
<tbody>${shown.map(([name, value]) => html`<tr><th scope="row">${foreign(name)}</th><td>${values[name] === null ? 'not set' : foreign(value, longestValue)}</td></tr>`)}</tbody>
</table>
${rows.length > shown.length ? html`<p class="quiet">And ${counted(rows.length - shown.length, 'more value')}.</p>` : ''}`;
}
