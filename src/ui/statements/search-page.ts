import { html } from 'hono/html';
import { type Link, searchAddress } from '../header.ts';
import { problemPlace, readingPage } from './shell.ts';

/** What a search finds, by group. @param problem what is wrong with the search. */
export async function searchPage(q: string, links: readonly Link[], problem?: string): Promise<string> {
  const isAsked = q !== '';
  return await readingPage({
    title: isAsked ? `Search for ${q.slice(0, 60)}` : 'Search',
    here: { name: 'Search', address: searchAddress },
    script: 'statements/found.ts',
    links,
    searched: q,
    content: html`<h1>${isAsked ? html`Search for <bdi>“${q}”</bdi>` : 'Search'}</h1>
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
<p class="quiet">Any part of a name or path, several words in any order; a CID, UUID or DID; a hash such as <code>sha256:…</code></p>
<div id="file" class="file-drop"></div>
${problemPlace}
<div id="results"${isAsked ? html` aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="/search/v1?${new URLSearchParams({ q }).toString()}">what is found</a>.</p></noscript` : ''}></div>`,
  });
}
