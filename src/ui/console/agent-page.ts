import { html } from 'hono/html';
import type { Standing } from '../../contract/integrity/log.ts';
import { wholeLoggedWords } from '../../contract/words/logged.ts';
import type { Page } from '../../domain/collections/records.ts';
import type { AgentKey, AgentStatusEvent } from '../../domain/control-plane/agents/agents.ts';
import type { AgentDetail } from '../../domain/control-plane/agents/visible-agents.ts';
import { agentPages, type Html } from '../header.ts';
import { time } from '../parts.ts';
import { plainTime } from '../report/words.ts';
import { agentAddress, stateBadge } from './agents-page.ts';
import { type ConsolePage, copyable, facts, nextPage, person, records } from './shell.ts';

export interface AgentView {
  readonly detail: AgentDetail;
  /** Null for callers who may not change agents. */
  readonly events: Page<AgentStatusEvent> | null;
  /** The names of people by `callerKey`. */
  readonly people: ReadonlyMap<string, string>;
  /** What the agent did; undefined if the caller may not see it. */
  readonly activity: Html | undefined;
  /** What the log of the agent has, in its newest published head. */
  readonly log: Standing & { readonly entries: number };
}

/** One agent: who it is, what happened to it, and what it did. */
export function agentPage({
  detail: { agent, keys, bindings },
  events,
  people,
  activity,
  log,
}: AgentView): ConsolePage {
  const { id, name, handle, state, did, issuer, createdAt, changedAt } = agent;
  return {
    title: name,
    here: agentPages,
    parent: agentPages,
    styles: ['console/chart.css', 'uplot.css'],
    script: 'console/chart.ts',
    content: html`<div class="row">${stateBadge(state)}${events ? stateButton(agent) : ''}</div>
${facts([
  ['Id', copyable('agent-id', id, 'the id')],
  ['Handle', handle],
  ['DID', did === null ? null : copyable('agent-did', did, 'the DID')],
  ['Owner', html`${person(people, agent)} at ${issuer}`],
  ['Registered', time(createdAt)],
  ['Last change', time(changedAt)],
  ['Log', wholeLoggedWords(log, plainTime) ?? null],
])}
${activity ?? ''}
<section aria-labelledby="bindings"><h2 id="bindings">Bindings</h2>
${records(
  'Bindings',
  ['Subject', 'Issuer', 'State', 'From', 'Until'],
  bindings.map((one) => [
    person(people, one),
    one.issuer,
    one.state,
    time(one.createdAt),
    timeOrNone(one.endedAt),
  ]),
)}</section>
<section aria-labelledby="keys"><h2 id="keys">Keys</h2>${records('Keys', ['DID', 'From', 'Until'], keys.map(keyRow))}</section>
${events ? statusEvents(id, events, people) : ''}`,
  };
}

function keyRow({ did, addedAt, retiredAt }: AgentKey) {
  return [copyable(`key-${did}`, did, 'the DID'), time(addedAt), timeOrNone(retiredAt)];
}

function statusEvents(
  id: string,
  { records: events, next }: Page<AgentStatusEvent>,
  people: ReadonlyMap<string, string>,
): Html {
  const words = {
    registered: 'registered',
    registered_again: 'registered again',
    handed_over: 'handed over',
    revoked: 'revoked',
    restored: 'restored',
  };
  return html`<section aria-labelledby="events"><h2 id="events">Status events</h2>
${records(
  'Status events',
  ['Event', 'By', 'Reason', 'At'],
  events.map(({ event, actor, reason, at }) => [
    words[event],
    person(people, actor),
    reason ?? '–',
    time(at),
  ]),
)}
${nextPage(agentAddress(id), {}, next, { cursor: 'events_cursor', place: 'events' })}</section>`;
}

/** A button and the dialog that asks for a reason. */
function stateButton({ id, name, state }: AgentDetail['agent']): Html {
  const [verb, word, consequence] =
    state === 'active'
      ? [
          'revoke',
          'Revoke',
          'From the next request on, everything that is reported about it is refused, and so are its registrations.',
        ]
      : [
          'restore',
          'Restore',
          'It keeps its key and its bindings, and what is reported about it is accepted again.',
        ];
  const done = `${name} is ${state === 'active' ? 'revoked' : 'active'} now.`;
  return html`<button type="button" id="change-state" class="${verb}" data-dialog="state-dialog">${word}…</button>
<dialog id="state-dialog" aria-labelledby="state-heading">
<form method="dialog" data-action="/v1/agents/${encodeURIComponent(id)}/${verb}" data-done="${done}">
<h2 id="state-heading">${word} ${name}?</h2>
<p>${consequence}</p>
<label for="reason">Reason, for the status events</label>
<textarea id="reason" name="reason" maxlength="1000" rows="3"></textarea>
<div class="row"><button class="${verb}">${word}</button><button type="button" data-close="state-dialog">Cancel</button></div>
</form>
</dialog>`;
}

function timeOrNone(moment: number | null): Html | string {
  return moment === null ? '–' : time(moment);
}
