import { html } from 'hono/html';
import type { Tone } from '../../contract/words/trust.ts';
import type { AuditRecord } from '../../domain/audit-log/audit-log.ts';
import type { Page } from '../../domain/collections/records.ts';
import { uuidIn } from '../../domain/integrity/identifiers/identifiers.ts';
import { auditLog, type Html } from '../header.ts';
import { badge, time } from '../parts.ts';
import { agentAddress } from './agents-page.ts';
import { auditWords } from './audit-words.ts';
import { type ConsolePage, nextPage, person, records } from './shell.ts';

export interface AuditSearch {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** Days in UTC, the last one included. */
  readonly from: string;
  readonly to: string;
}

interface AuditView {
  readonly search: AuditSearch;
  readonly page: Page<AuditRecord>;
  /** By `callerKey`. */
  readonly people: ReadonlyMap<string, string>;
  readonly targets: ReadonlyMap<string, string>;
  readonly hasLineages: boolean;
  /** What is wrong with the search. */
  readonly problem?: string | undefined;
}

const tones: Readonly<Record<AuditRecord['outcome'], Tone>> = {
  begun: 'plain',
  done: 'good',
  refused: 'warning',
  failed: 'bad',
};

/** Who changed what, newest first. */
export function auditLogPage(view: AuditView): ConsolePage {
  const { search, page, people, problem } = view;
  const { actor, target, from, to } = search;
  const rows = page.records.map((record) => [
    html`${words(record.action)}${record.target?.split(' ').map((id) => html` ${thing(id, record.action, view)}`) ?? ''}${details(record)}`,
    html`${badge(tones[record.outcome], record.code === null ? record.outcome : `${record.outcome}: ${record.code}`)}`,
    who(record.actor, people),
    time(record.at),
  ]);
  const isFiltered = Object.values(search).some((value) => value !== '');
  const none = isFiltered ? 'No record matches exactly.' : 'Nothing is recorded yet.';
  return {
    title: 'Audit log',
    here: auditLog,
    content: html`<form class="filters" role="search">
<label>By (subject or e-mail) <input name="actor" value="${actor}" maxlength="500" spellcheck="false" autocomplete="off"></label>
<label>What was done <select name="action">${actions(search.action)}</select></label>
<label>To what (id) <input name="target" value="${target}" maxlength="500" spellcheck="false" autocomplete="off"></label>
<label>From (UTC) <input name="from" type="date" value="${from}"></label>
<label>To (UTC, included) <input name="to" type="date" value="${to}"></label>
<button>Search</button>
${isFiltered ? html`<a href="${auditLog.address}">Show all</a>` : ''}
</form>
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
${rows.length === 0 ? html`<p>${none}</p>` : records('Audit log', ['What was done', 'Outcome', 'By', 'When'], rows)}
${nextPage(auditLog.address, { ...search }, page.next)}`,
  };
}

function actions(chosen: string): Html {
  const isForeign = chosen !== '' && !Object.hasOwn(auditWords, chosen);
  const all = [['', 'Anything'], ...Object.entries(auditWords), ...(isForeign ? [[chosen, chosen]] : [])];
  return html`${all.map(([value, label]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`)}`;
}

/** The operation itself is in the title. */
function words(action: string): Html {
  const known = Object.hasOwn(auditWords, action) ? auditWords[action] : undefined;
  return known === undefined ? html`<code>${action}</code>` : html`<span title="${action}">${known}</span>`;
}

function who(actor: AuditRecord['actor'], people: AuditView['people']): Html | string {
  if (actor === null) return 'unknown';
  const { issuer, subject, means } = actor;
  if (means === 'disabled' || subject === null) return 'anybody';
  const query = new URLSearchParams({ actor: subject });
  return html`<a href="${auditLog.address}?${query}" title="${subject} at ${issuer}">${person(people, actor)}</a>`;
}

/** A target by its name, with a link to its page. */
function thing(id: string, action: string, { targets, hasLineages }: AuditView): Html {
  const name = targets.get(id);
  const shown = name === undefined ? html`<code>${id}</code>` : html`<bdi>${name}</bdi>`;
  const isUser = action.includes('/v1/users/');
  const address = id.startsWith('agent_')
    ? agentAddress(id)
    : isUser || !hasLineages
      ? undefined
      : pageOfThing(id);
  return address === undefined
    ? html`<span title="${id}">${shown}</span>`
    : html`<a href="${address}" title="${id}">${shown}</a>`;
}

function pageOfThing(id: string): string | undefined {
  const uuid = uuidIn(id);
  if (uuid !== undefined) return `/ui/graph/${uuid}`;
  return /^(?:urn:cid:|did:|ba[a-z2-7]{20})/.test(id) ? `/ui/lineage/${encodeURIComponent(id)}` : undefined;
}

function details({ details: found }: AuditRecord): Html {
  const entries = Object.entries(found ?? {}).filter(([, value]) => value !== null);
  return entries.length === 0
    ? html``
    : html`<span class="quiet">${entries.map(([name, value]) => `${name}: ${value}`).join(', ')}</span>`;
}
