import { trustWords } from '../../../contract/words/trust.ts';
import { badge, trustBadge } from '../badge.ts';
import { element } from '../element.ts';
import { kindLabel, symbol } from '../kinds.ts';
import { when } from '../times.ts';
import { askNames, withSentences } from './names.ts';
import { credentialEnds, idsIn, isCredential, namedIn, sentence, typeOf } from './sentence.ts';
import { type Names, nameOrId, statementAddress } from './shown-text.ts';
import type { FoundStatement } from './statements-api.ts';

/** A statement, and the credentials about it that are in the same list. */
interface Row extends FoundStatement {
  readonly credentials: readonly FoundStatement[];
}

/** Statements as a table, which becomes a list on a narrow screen. */
export async function statementTable(list: readonly FoundStatement[]): Promise<HTMLElement> {
  const rows = withCredentials(list);
  const known = await askNames(
    rows.flatMap(({ id, statement }) => [...namedIn(statement, id), ...idsIn(statement.registeredBy)]),
  );
  const credentials = rows.filter(({ statement }) => isCredential(statement));
  const names = await withSentences(
    known,
    credentials.flatMap(({ statement }) => credentialEnds(statement).subject),
  );
  return table(
    'Statements',
    ['What it says', 'Registered by', 'When', 'Trust'],
    rows.map((row) => statementCells(row, names)),
  );
}

/** Credentials have a row only if the statements that they are about have none. */
function withCredentials(list: readonly FoundStatement[]): Row[] {
  const others = new Set(list.filter(({ statement }) => !isCredential(statement)).map(({ id }) => id));
  const about = list
    .filter(({ statement }) => isCredential(statement))
    .flatMap((credential) =>
      credentialEnds(credential.statement)
        .subject.filter((id) => others.has(id))
        .map((id) => ({ id, credential })),
    );
  const shown = new Set(about.map(({ credential }) => credential));
  return list
    .filter((one) => !shown.has(one))
    .map((one) => {
      const own = about.filter(({ id }) => id === one.id).map(({ credential }) => credential);
      return { ...one, credentials: [...new Set(own)] };
    });
}

function statementCells(row: Row, names: Names): (Node | string)[] {
  const { id, statement, type, unverified } = row;
  const kind = element('span', { class: 'kind' }, symbol(type), kindLabel(typeOf(statement)));
  const words = sentence(statement, id, names, { trust: row.trust });
  const says = element('a', { href: statementAddress(id) }, ...words);
  const marks = unverified ? [badge('warning', 'unverified', 'Its contexts could not be verified.')] : [];
  return [
    element('span', {}, kind, says),
    registrant(statement.registeredBy, names),
    when(statement.timestamp),
    element(
      'span',
      { class: 'row' },
      trustBadge(row.trust),
      ...marks,
      ...row.credentials.map(credentialLink),
    ),
  ];
}

function credentialLink({ id, trust }: FoundStatement): HTMLElement {
  return element('a', { href: statementAddress(id), title: trustWords(trust) }, 'credential');
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
  const body = rows.map((cells) => element('tr', {}, ...cells.map((value, at) => cell(value, at, heads))));
  return element(
    'table',
    { class: 'records' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, ...body),
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
