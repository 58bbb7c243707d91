import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Another page of the service that this one leads to. */
export interface Neighbour {
  readonly name: string;
  readonly address: string;
}

export const lineages: Neighbour = { name: 'Lineage', address: '/ui/lineage' };
export const account: Neighbour = { name: 'Account', address: '/ui/account' };

interface HeaderParts {
  /** What all pages of this kind are about, and where they begin. */
  readonly about: Neighbour;
  /** undefined where the service has no other. */
  readonly neighbour: Neighbour | undefined;
  readonly field?: Html;
}

/** What stands above every page. */
export function header({ about, neighbour, field }: HeaderParts): Html {
  return html`<header>
<a class="brand" href="${about.address}"><img src="/ui/files/cairn.svg" alt="" width="24" height="24">Cairn <span>${about.name.toLowerCase()}</span></a>
${field ?? ''}
${neighbour ? html`<a class="neighbour" href="${neighbour.address}">${neighbour.name}</a>` : ''}
</header>`;
}
