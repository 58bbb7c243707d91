import { html } from 'hono/html';
import { header, type Link, start } from './header.ts';
import { page } from './page.ts';

/** The page at addresses that lead nowhere. */
export async function notFoundPage(path: string, links: readonly Link[]): Promise<string> {
  return await page({
    title: 'No such page',
    styles: [],
    body: html`${header({ links })}
<main class="entry">
<h1>There is no such page</h1>
<p>Nothing is at <code>${path.slice(0, 200)}</code>. The address may be incomplete, or the page may have moved.</p>
<p><a class="choice" href="${start.address}">Go to the start page</a></p>
</main>`,
  });
}
