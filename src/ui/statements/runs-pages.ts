import { html } from 'hono/html';
import { type Link, start } from '../header.ts';
import { firstSteps, graphsSection, searchForm } from './pages.ts';
import { problemPlace, readingPage } from './shell.ts';

const noSearch = { q: '', type: '', by: '' };

/** The start page: the newest runs, the graphs, and a search. */
export async function runsPage(links: readonly Link[]): Promise<string> {
  return await readingPage({
    title: 'Runs',
    here: start,
    script: 'runs/runs.ts',
    links,
    content: html`<h1>What was made from what, and who says so?</h1>
${searchForm(noSearch)}
<div id="file" class="file-drop"></div>
${problemPlace}
${firstSteps}
<div class="columns" id="found">
<section aria-labelledby="runs-heading">
<h2 id="runs-heading">Runs</h2>
<p id="runs-about" class="quiet">Newest first. A run is a command that <code>cairn record</code> has recorded, or another computation that somebody states. <a href="/ui/statements">All statements</a></p>
<div id="runs" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="/runs/v1?limit=20">runs</a>, <a href="/statements/v1?limit=20">statements</a>, <a href="/graph/v1">graphs</a>.</p></noscript></div>
</section>
${graphsSection}
</div>`,
  });
}

/** Two runs side by side. */
export async function comparisonPage(a: string, b: string, links: readonly Link[]): Promise<string> {
  return await readingPage({
    title: 'Two runs',
    here: start,
    data: { a, b },
    script: 'runs/compare.ts',
    links,
    content: html`<nav class="over" aria-label="Path"><a href="/ui">Start</a></nav>
<h1 id="heading">Two runs</h1>
${problemPlace}
<div id="comparison" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="/runs/v1/${a}">A</a>, <a href="/runs/v1/${b}">B</a>.</p></noscript></div>`,
  });
}
