import { html } from 'hono/html';
import { shortId } from '../../contract/words/text.ts';
import { type Link, start } from '../header.ts';
import { problemPlace, readingPage } from './shell.ts';

/** The page of a graph: where it belongs, its statements, and its export. */
export async function graphPage(id: string, links: readonly Link[]): Promise<string> {
  const statements = `/statements/v1?graph_id=${id}`;
  return await readingPage({
    title: `Graph ${shortId(id)}`,
    here: start,
    about: id,
    script: 'statements/graph.ts',
    links,
    searches: true,
    content: html`<nav class="over" aria-label="Path"><a href="/ui">Start</a> <span id="parents"></span></nav>
<h1 id="heading">Graph</h1>
${problemPlace}
<div id="found" class="columns">
<section aria-labelledby="statements-heading">
<h2 id="statements-heading">Statements</h2>
<div id="statements" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="${statements}">its statements</a>, <a href="/manifest/v1?graph_ids=${id}&amp;include_context=true&amp;include_blobs=true">its manifest</a>.</p></noscript></div>
</section>
<div>
<section aria-labelledby="about-heading">
<h2 id="about-heading">About</h2>
<div id="about"></div>
</section>
<section aria-labelledby="export-heading">
<h2 id="export-heading">Export</h2>
<div id="export"></div>
</section>
</div>
</div>`,
  });
}
