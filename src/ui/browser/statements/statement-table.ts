import { badge } from '../badge.ts';
import { element } from '../element.ts';
import { trustBadge, trustMark, trustWords } from '../lineage/trust.ts';
import { kindLabel, kindSymbol } from './kinds.ts';
import { idsIn, namedIn, sentence, typeOf } from './sentence.ts';
import { type Names, nameOrId, statementAddress } from './shown-text.ts';
import type { FoundStatement } from './statements-api.ts';
import { when } from './when.ts';

/** Identifiers whose names the rows need. */
export function namedInRows(rows: readonly FoundStatement[]): string[] {
  return rows.flatMap(({ id, statement }) => [...namedIn(statement, id), ...idsIn(statement.registeredBy)]);
}

/** Statements as a table, which becomes a list on a narrow screen. */
export function statementTable(rows: readonly FoundStatement[], names: Names): HTMLElement {
  return table(
    'Statements',
    ['What it says', 'Registered by', 'When', 'Trust'],
    rows.map((row) => statementCells(row, names)),
  );
}

function statementCells(row: FoundStatement, names: Names): (Node | string)[] {
  const { id, statement, type, unverified } = row;
  const kind = element('span', { class: 'kind' }, kindSymbol(type), kindLabel(typeOf(statement)));
  const says = element('a', { href: statementAddress(id) }, ...sentence(statement, id, names, false));
  const marks = unverified ? [badge('warning', 'unverified', 'Its contexts could not be verified.')] : [];
  return [
    element('span', {}, kind, says),
    registrant(statement.registeredBy, names),
    when(statement.timestamp),
    element('span', { class: 'row' }, trustBadge(trustMark(row.trust), trustWords(row.trust)), ...marks),
  ];
}

/** A link to everything that somebody has registered. */
export function registrant(did: unknown, names: Names): Node | string {
  if (typeof did !== 'string') return 'nobody';
  const query = new URLSearchParams({ by: did });
  return element('a', { href: `/ui?${query}`, title: did }, nameOrId(did, names));
}

export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
): HTMLElement {
  return element(
    'table',
    { class: 'records' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element(
      'tbody',
      {},
      ...rows.map((cells) => element('tr', {}, ...cells.map((value, at) => cell(value, at, heads)))),
    ),
  );
}

function cell(value: Node | string, at: number, heads: readonly string[]): HTMLElement {
  if (at === 0) return element('th', { scope: 'row' }, value);
  return element('td', { 'data-label': heads[at] }, value);
}

/** Links to the first page and the next one. They keep the rest of the address. */
export function pageLinks(next: string | undefined): Node {
  const at = new URL(location.href);
  const to = (cursor: string | undefined) => {
    if (cursor === undefined) at.searchParams.delete('cursor');
    else at.searchParams.set('cursor', cursor);
    return at.pathname + at.search;
  };
  const links = [
    ...(at.searchParams.has('cursor') ? [element('a', { href: to(undefined) }, '← First page')] : []),
    ...(next === undefined ? [] : [element('a', { href: to(next) }, 'Next page →')]),
  ];
  return links.length === 0 ? document.createDocumentFragment() : element('p', { class: 'pages' }, ...links);
}
