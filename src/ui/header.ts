import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** What stands above every page: whose it is, what it is about, and what more the page puts there. */
export function header(about: string, more: Html | '' = ''): Html {
  return html`<header>
<a class="brand" href="/ui"><img src="/ui/files/cairn.svg" alt="" width="24" height="24">Cairn <span>${about}</span></a>
${more}
</header>`;
}
