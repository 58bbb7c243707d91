import { html } from 'hono/html';
import type { Page } from '../../domain/collections/records.ts';
import type { Agent, AgentState } from '../../domain/control-plane/agents/agents.ts';
import { agentPages, type Html } from '../header.ts';
import { badge, time } from '../parts.ts';
import { type ConsolePage, nextPage, person, records } from './shell.ts';

export interface AgentSearch {
  readonly q: string;
  readonly state: string;
}

/** The list of agents with its search. */
export function agentsPage(
  { q, state }: AgentSearch,
  found: Page<Agent>,
  people: ReadonlyMap<string, string>,
): ConsolePage {
  const rows = found.records.map((agent) => [
    html`<a href="${agentAddress(agent.id)}">${agent.name}</a>`,
    agent.handle ?? '–',
    stateBadge(agent.state),
    person(people, agent),
    time(agent.createdAt),
  ]);
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === state ? html` selected` : ''}>${label}</option>`;
  const isFiltered = q !== '' || state !== '';
  return {
    title: 'Agents',
    here: agentPages,
    content: html`<form class="filters" role="search">
<label>Name, handle, id or DID <input name="q" type="search" value="${q}" maxlength="300" spellcheck="false" autocomplete="off"></label>
<label>State <select name="state">${option('', 'All')}${option('active', 'Active')}${option('revoked', 'Revoked')}</select></label>
<button>Search</button>
${isFiltered ? html`<a href="/ui/agents">Show all</a>` : ''}
</form>
${rows.length > 0 ? records('Agents', ['Name', 'Handle', 'State', 'Owner', 'Registered'], rows) : nothing(isFiltered, found.next)}
${nextPage('/ui/agents', { q, state }, found.next)}`,
  };
}

function nothing(isFiltered: boolean, next: string | undefined): Html {
  if (next !== undefined) return html`<p>No agent matches so far. The next page searches on.</p>`;
  if (isFiltered) return html`<p>No agent matches.</p>`;
  return html`<p>There are no agents that you may see. <a href="/ui/tokens">Mint a token</a> to register one.</p>`;
}

export function stateBadge(state: AgentState): Html {
  return badge(state === 'active' ? 'good' : 'bad', state);
}

export function agentAddress(id: string): string {
  return `/ui/agents/${encodeURIComponent(id)}`;
}
