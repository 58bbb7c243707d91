import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** A page of the service, for links. */
export interface Link {
  readonly name: string;
  readonly address: string;
}

export const start: Link = { name: 'Start', address: '/ui' };
export const lineages: Link = { name: 'Lineage', address: '/ui/lineage' };
export const logLink: Link = { name: 'Log', address: '/ui/log' };
export const account: Link = { name: 'Account', address: '/ui/account' };
export const agentPages: Link = { name: 'Agents', address: '/ui/agents' };
export const tokens: Link = { name: 'Tokens', address: '/ui/tokens' };
export const runTimeLimits: Link = { name: 'Limits', address: '/ui/limits' };
export const auditLog: Link = { name: 'Audit log', address: '/ui/audit-log' };
export const health: Link = { name: 'Health', address: '/ui/health' };
export const apiReference: Link = { name: 'API', address: '/docs' };

/** Which pages are at the same address. */
export interface PagesHere {
  readonly hasLineages: boolean;
  /** Whether people can use the console: they sign in by browser, or nobody needs to. */
  readonly hasConsole: boolean;
  /** Whether people sign in by browser. */
  readonly hasAccounts: boolean;
}

export function linksTo({ hasLineages, hasConsole, hasAccounts }: PagesHere): readonly Link[] {
  return [
    ...(hasLineages ? [start, lineages, logLink] : []),
    ...(hasConsole ? [agentPages, tokens] : []),
    // The limits are those of the integrity service.
    ...(hasConsole && hasLineages ? [runTimeLimits] : []),
    ...(hasConsole ? [auditLog, health] : []),
    ...(hasAccounts ? [account] : []),
    apiReference,
  ];
}

interface HeaderParts {
  /** The page or the topic of the page. */
  readonly here?: Link;
  readonly links: readonly Link[];
  /** What the reader searches for. */
  readonly searched?: string;
}

/** The page that verifies files of any service. */
export const verifierAddress = '/ui/verify';

/** Where things are found by any part of their names. */
export const searchAddress = '/ui/search';

const searchField = (
  searched: string,
) => html`<form action="${searchAddress}" class="open" role="search" aria-label="Find anything">
<label for="search" class="unseen">Find anything</label>
<input id="search" name="q" type="search" value="${searched}" placeholder="Name, hash or DID" maxlength="2000" required spellcheck="false" autocomplete="off">
<button>Find</button>
</form>
<script type="module" src="/ui/files/search-drop.ts"></script>`;

/** Text of others is escaped, so it never contains this. */
const personPlace = '<!-- who is signed in -->';
const administratorsLink = /<!-- for administrators -->(<a [^>]*>[^<]*<\/a>)/;

/** Who looks at a page. */
export interface Person {
  readonly name: string;
  readonly isAdministrator: boolean;
}

/** A page whose header names the user who is signed in, with a way out. @param person undefined if nobody is signed in. */
export function withPerson(page: string, person: Person | undefined): string {
  const shown =
    person &&
    html`<div class="person"><a href="${account.address}" title="Signed in as ${person.name}">${person.name}</a>
<button type="button" id="sign-out">Sign out</button></div>
<script type="module" src="/ui/files/signed-in.ts"></script>`;
  return page
    .replace(administratorsLink, person?.isAdministrator ? '$1' : '')
    .replace(personPlace, () => String(shown ?? ''));
}

export function header({ here, links, searched = '' }: HeaderParts): Html {
  const hasAccounts = links.includes(account);
  const item = ({ name, address }: Link) =>
    html`${hasAccounts && address === auditLog.address ? raw('<!-- for administrators -->') : ''}<a href="${address}"${address === here?.address ? html` aria-current="page"` : ''}>${name}</a>`;
  return html`<header>
<a class="brand" href="${start.address}"><img src="/ui/files/cairn.svg" alt="" width="24" height="24"><b>Cairn</b>${links.length > 1 || !here ? '' : html` <span>${here.name.toLowerCase()}</span>`}</a>
${links.length > 1 ? html`<nav id="pages" aria-label="Pages" popover>${links.map(item)}</nav>` : ''}
${links.includes(start) ? searchField(searched) : ''}
${raw(personPlace)}
${links.length > 1 ? html`<button type="button" class="menu" popovertarget="pages">Menu</button>` : ''}
</header>`;
}
