import { html } from 'hono/html';
import type { Tone } from '../../contract/words/trust.ts';
import type { AuditRecord } from '../../domain/audit-log/audit-log.ts';
import type { Page } from '../../domain/collections/records.ts';
import { auditLog, type Html } from '../header.ts';
import { badge, named, time } from '../parts.ts';
import { type ConsolePage, nextPage, person, records } from './shell.ts';

export interface AuditSearch {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
}

const tones: Readonly<Record<AuditRecord['outcome'], Tone>> = {
  begun: 'plain',
  done: 'good',
  refused: 'warning',
  failed: 'bad',
};

/** Who changed what, newest first. */
export function auditLogPage(
  search: AuditSearch,
  found: Page<AuditRecord>,
  names: { readonly people: ReadonlyMap<string, string>; readonly targets: ReadonlyMap<string, string> },
): ConsolePage {
  const field = (name: keyof AuditSearch, label: string) =>
    html`<label>${label} <input name="${name}" value="${search[name]}" maxlength="500" spellcheck="false" autocomplete="off"></label>`;
  const rows = found.records.map((record) => [
    html`<code>${record.action}</code>${details(record)}`,
    html`${badge(tones[record.outcome], record.code === null ? record.outcome : `${record.outcome}: ${record.code}`)}`,
    record.actor === null ? 'unknown' : person(names.people, record.actor),
    record.target === null ? '–' : named(names.targets.get(record.target), record.target),
    time(record.at),
  ]);
  const isFiltered = Object.values(search).some((value) => value !== '');
  return {
    title: 'Audit log',
    here: auditLog,
    content: html`<form class="filters" role="search">
${field('actor', 'Subject of the caller')}${field('action', 'Operation')}${field('target', 'Target')}
<button>Search</button>
${isFiltered ? html`<a href="/ui/audit-log">Show all</a>` : ''}
</form>
${rows.length === 0 ? html`<p>${isFiltered ? 'No record matches exactly.' : 'Nothing is recorded yet.'}</p>` : records('Audit log', ['Operation', 'Outcome', 'By', 'Target', 'At'], rows)}
${nextPage('/ui/audit-log', { ...search }, found.next)}`,
  };
}

function details({ details: found }: AuditRecord): Html {
  const entries = Object.entries(found ?? {}).filter(([, value]) => value !== null);
  return entries.length === 0
    ? html``
    : html`<span class="quiet">${entries.map(([name, value]) => `${name}: ${value}`).join(', ')}</span>`;
}
