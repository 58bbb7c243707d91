import { trustWords } from '../../../contract/words/trust.ts';
import { badge, trustBadge } from '../badge.ts';
import { element } from '../element.ts';
import { kindLabel, symbol } from '../kinds.ts';
import { when } from '../times.ts';
import { askNames, withSentences } from './names.ts';
import { credentialEnds, idsIn, isCredential, namedIn, sentence, typeOf } from './sentence.ts';
import { type Names, nameOrId, statementAddress } from './shown-text.ts';
import type { FoundStatement, Json } from './statements-api.ts';

/** A statement, and the credentials and metadata about it that are in the same list. */
interface Row extends FoundStatement {
  readonly attached: readonly FoundStatement[];
}

/** Statements as a table, which becomes a list on a narrow screen. */
export async function statementTable(list: readonly FoundStatement[]): Promise<HTMLElement> {
  const rows = withAttached(list);
  const known = await askNames(
    rows.flatMap(({ id, statement }) => [...namedIn(statement, id), ...idsIn(statement.registeredBy)]),
  );
  const mentioned = rows.flatMap(({ id, statement }) => namedIn(statement, id).filter((one) => one !== id));
  const names = await withSentences(known, mentioned, list);
  return table(
    'Statements',
    ['What it says', 'Registered by', 'When', 'Trust'],
    rows.map((row) => statementCells(row, names)),
  );
}

/** Credentials and metadata have a row only if the list has no other statement about the same. */
function withAttached(list: readonly FoundStatement[]): Row[] {
  const hosts = hostsIn(list);
  // A credential of metadata stands where the metadata does.
  for (const { id, statement } of list.filter((one) => !isCredential(one.statement)))
    for (const subject of subjectsOf(statement)) {
      const host = hosts.get(subject);
      if (host !== undefined) hosts.set(id, host);
    }
  const about = list.flatMap((one) =>
    subjectsOf(one.statement).flatMap((subject) => {
      const host = hosts.get(subject);
      return host === undefined ? [] : [{ host, one }];
    }),
  );
  const shown = new Set(about.map(({ one }) => one));
  return list
    .filter((one) => !shown.has(one))
    .map((one) => {
      const own = about.filter(({ host }) => host === one.id);
      return { ...one, attached: [...new Set(own.map((each) => each.one))] };
    });
}

/** What a credential or metadata is about; nothing for other statements. */
function subjectsOf(statement: Json): string[] {
  if (isCredential(statement)) return credentialEnds(statement).subject;
  return typeOf(statement) === 'MetadataRegistration' ? idsIn(statement.subject) : [];
}

const registrations: Readonly<Record<string, string>> = {
  DataRegistration: 'data',
  EntityRegistration: 'entity',
  DidRegistration: 'did',
};

/** What a statement makes known. */
function madeKnownBy(statement: Json): string[] {
  const member = registrations[typeOf(statement)];
  return member === undefined ? [] : idsIn(statement[member]);
}

/** The statement in whose row something is shown: by its id, else by what it makes known, else by what it made. */
function hostsIn(list: readonly FoundStatement[]): Map<string, string> {
  const others = list.filter(({ statement }) => subjectsOf(statement).length === 0);
  const by = (things: (one: FoundStatement) => string[]) =>
    others.flatMap((one) => things(one).map((thing) => [thing, one.id] as const));
  return new Map([
    ...by(({ statement }) => idsIn(statement.output)),
    ...by(({ statement }) => madeKnownBy(statement)),
    ...by(({ id }) => [id]),
  ]);
}

function statementCells(row: Row, names: Names): (Node | string)[] {
  const { id, statement, type, unverified } = row;
  const { credentials = [], metadata = [] } = Object.groupBy(row.attached, (one) =>
    isCredential(one.statement) ? 'credentials' : 'metadata',
  );
  const label = kindLabel(typeOf(statement));
  const kind = element('span', { class: 'kind' }, symbol(type), label, ...metadata.map(attachedLink));
  const words = sentence(statement, id, names, { trust: row.trust });
  const says = element('a', { href: statementAddress(id) }, ...words);
  const marks = unverified ? [badge('warning', 'unverified', 'Its contexts could not be verified.')] : [];
  return [
    element('span', {}, kind, says),
    registrant(statement.registeredBy, names),
    when(statement.timestamp),
    element('span', { class: 'row' }, trustBadge(row.trust), ...marks, ...credentials.map(attachedLink)),
  ];
}

/** The first of several has the name of the kind, and the others only their number. */
function attachedLink({ id, statement, trust }: FoundStatement, at: number): HTMLElement {
  const kind = kindLabel(typeOf(statement)).toLowerCase();
  const name = `${kind} ${at + 1}`;
  const link = { href: statementAddress(id), title: trustWords(trust) };
  return at === 0 ? element('a', link, kind) : element('a', { ...link, 'aria-label': name }, String(at + 1));
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
