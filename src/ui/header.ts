import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Another page of the service, for links. */
export interface Neighbour {
  readonly name: string;
  readonly address: string;
}

export const lineages: Neighbour = { name: 'Lineage', address: '/ui/lineage' };
export const account: Neighbour = { name: 'Account', address: '/ui/account' };

interface HeaderParts {
  /** The topic of the page and its first page. */
  readonly about: Neighbour;
  readonly neighbour: Neighbour | undefined;
  readonly field?: Html;
}

export function header({ about, neighbour, field }: HeaderParts): Html {
  return html`<header>
<a class="brand" href="${about.address}"><img src="/ui/files/cairn.svg" alt="" width="24" height="24">Cairn <span>${about.name.toLowerCase()}</span></a>
${field ?? ''}
${neighbour ? html`<a class="neighbour" href="${neighbour.address}">${neighbour.name}</a>` : ''}
</header>`;
}
