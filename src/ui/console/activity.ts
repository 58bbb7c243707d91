import { html } from 'hono/html';
import type { Tone } from '../../contract/words/trust.ts';
import type { Page } from '../../domain/collections/records.ts';
import type { AuditExchange, StateRecord } from '../../domain/control-plane/gateway/runtime-records.ts';
import type { AgentProjects, OperatorProject } from '../../domain/control-plane/projects/evidence.ts';
import type { SeriesQuery } from '../../domain/control-plane/projects/time-series.ts';
import type { Html } from '../header.ts';
import { badge, named, time } from '../parts.ts';
import { agentAddress } from './agents-page.ts';
import { facts, nextPage, records } from './shell.ts';

const ranges = {
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
  month: 'Last 30 days',
  year: 'Last year',
};
export type Range = keyof typeof ranges;

export interface ActivitySearch {
  /** null for a span that is none of them. */
  readonly range: Range | null;
  readonly span: SeriesQuery;
  readonly outcome: AuditExchange['outcome'] | null;
  readonly model: string;
}

export interface ActivityView {
  readonly agentId: string;
  readonly projects: AgentProjects;
  /** The names of projects. */
  readonly names: ReadonlyMap<string, string>;
  /** The chosen project with what it did there; undefined if there is none. */
  readonly chosen:
    | {
        readonly project: OperatorProject;
        readonly search: ActivitySearch;
        readonly exchanges: Page<AuditExchange>;
        /** The last states of the time. */
        readonly states: Page<StateRecord>;
      }
    | undefined;
}

/** What an agent did, project by project. */
export function activity({ agentId, projects, names, chosen }: ActivityView): Html {
  const { operated, boundToConsole } = projects;
  return html`<section aria-labelledby="activity"><h2 id="activity">What it did</h2>
${boundToConsole > 0 ? html`<p>It is a member of ${boundToConsole} ${boundToConsole === 1 ? 'project' : 'projects'} of the governance console. Only a bearer token that the console authorizes opens these.</p>` : ''}
${operated.length + boundToConsole === 0 ? html`<p>There is no evidence that it is a member of a project.</p>` : ''}
${chosen ? inProject(agentId, { operated, names }, chosen) : ''}
</section>`;
}

type Projects = Pick<AgentProjects, 'operated'> & Pick<ActivityView, 'names'>;

function tabs(agentId: string, { operated, names }: Projects, chosen: string): Html {
  const tab = ({ projectUuid: project }: OperatorProject) =>
    html`<a href="${agentAddress(agentId)}?${new URLSearchParams({ project })}"${project === chosen ? html` aria-current="true"` : ''}>${names.get(project) ?? `${project.slice(0, 8)}…`}</a>`;
  return html`<nav class="tabs" aria-label="Projects">${operated.map(tab)}</nav>`;
}

function membership({ subjectDid, validFrom, validUntil, status }: OperatorProject['memberships'][number]) {
  return html`<code>${subjectDid}</code> <span class="quiet">from ${time(validFrom)}${validUntil === null ? '' : html` until ${time(validUntil)}`}${status === null ? '' : `, ${status}`}</span>`;
}

function inProject(
  agentId: string,
  projects: Projects,
  {
    project: { projectUuid: project, memberships },
    search,
    exchanges,
    states,
  }: NonNullable<ActivityView['chosen']>,
): Html {
  const { range, span, outcome, model } = search;
  const iso = (moment: number) => new Date(moment).toISOString();
  const option = (value: string, label: string, chosen: string | null) =>
    html`<option value="${value}"${value === (chosen ?? '') ? html` selected` : ''}>${label}</option>`;
  const series = `/v1/projects/${project}/agents/${encodeURIComponent(agentId)}/audit-exchanges/timeseries`;
  const { from, until, interval } = span;
  // All pages are about the same time.
  const asked = { project, from: iso(from), to: iso(until), outcome: outcome ?? '', model };
  const rows = exchanges.records.map((one) => [
    html`<a href="${exchangeAddress(agentId, project, one.exchangeKey)}">${time(one.occurredAt)}</a>`,
    outcomeBadge(one.outcome),
    one.model ?? '–',
    one.durationMs === null ? '–' : `${Math.round(one.durationMs).toLocaleString('en')} ms`,
  ]);
  return html`${projects.operated.length > 1 ? tabs(agentId, projects, project) : ''}
${facts([['Project', named(projects.names.get(project), project)], ...memberships.map((one) => ['Member as', membership(one)] as const)])}
<form class="filters" action="${agentAddress(agentId)}#timeline">
<input type="hidden" name="project" value="${project}">
<label>Time <select name="range">${range === null ? option('', 'The time below', '') : ''}${Object.entries(ranges).map(([value, label]) => option(value, label, range))}</select></label>
${range === null ? html`<input type="hidden" name="from" value="${iso(from)}"><input type="hidden" name="to" value="${iso(until)}">` : ''}
<label>Outcome <select name="outcome">${option('', 'All', outcome)}${['ok', 'error', 'denied'].map((one) => option(one, one, outcome))}</select></label>
<label>Model <input name="model" value="${model}" maxlength="500" spellcheck="false" autocomplete="off"></label>
<button>Show</button>
</form>
<figure id="timeline" data-series="${series}" data-from="${iso(from)}" data-to="${iso(until)}" data-interval="${interval}" data-page="${agentAddress(agentId)}?${new URLSearchParams({ project })}">
<p id="totals"></p>
<figcaption>Exchanges per ${interval} from ${time(from)} to ${time(until)}, whatever their outcome and model. Drag over the chart to look closer.</figcaption>
<div id="counts" role="img" aria-label="Exchanges by time; the table below has the numbers"></div>
<div id="durations" role="img" aria-label="Durations by time; the table below has the numbers"></div>
<details><summary>The chart as a table</summary><div id="series"></div></details>
</figure>
<h3 id="exchanges">Exchanges, newest first</h3>
${rows.length > 0 ? records('Exchanges', ['Time', 'Outcome', 'Model', 'Duration'], rows) : html`<p>No exchange ${exchanges.next === undefined ? 'matches' : 'on this page matches'}.</p>`}
${nextPage(agentAddress(agentId), asked, exchanges.next, { place: 'exchanges' })}
${stateTable(agentId, project, states)}`;
}

/** The states of an agent, each with its exchange. */
function stateTable(agentId: string, project: string, { records: states, next }: Page<StateRecord>): Html {
  if (states.length === 0) return html``;
  const rows = states.map(({ stateCid, exchangeKey, occurredAt, children }) => [
    html`<a href="${exchangeAddress(agentId, project, exchangeKey ?? '')}#states">${time(occurredAt)}</a>`,
    html`<code>${stateCid}</code>`,
    String(children.length),
  ]);
  return html`<h3>States, newest first</h3>
${records('States', ['Time', 'CID', 'References'], rows)}
${next === undefined ? '' : html`<p class="quiet">There are more. Choose a shorter time to see them.</p>`}`;
}

const outcomeTones: Readonly<Record<AuditExchange['outcome'], Tone>> = {
  ok: 'good',
  error: 'bad',
  denied: 'warning',
};

export function outcomeBadge(outcome: AuditExchange['outcome']): Html {
  return badge(outcomeTones[outcome], outcome);
}

function exchangeAddress(agentId: string, project: string, exchangeKey: string): string {
  return `${agentAddress(agentId)}/projects/${project}/exchanges/${exchangeKey}`;
}
