import { html } from 'hono/html';
import { bareId, shortId } from '../../contract/words/text.ts';
import { statementKinds } from '../../domain/integrity/kinds/registry.ts';
import { type Html, type Link, start } from '../header.ts';
import { problemPlace, readingPage } from './shell.ts';

/** What the reader searches for. The script of the page reads it from the address. */
export interface StartSearch {
  readonly q: string;
  readonly type: string;
  readonly by: string;
}

interface StartPage {
  readonly search: StartSearch;
  /** What is wrong with the search. */
  readonly problem?: string;
  readonly links: readonly Link[];
}

/** The start page: recent statements, graphs, and a search. */
export async function startPage({ search, problem, links }: StartPage): Promise<string> {
  return await readingPage({
    title: 'Start',
    here: start,
    script: 'statements/start.ts',
    links,
    content: html`<h1>What was made from what, and who says so?</h1>
${searchForm(search)}
<div id="file" class="file-drop"></div>
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
${problemPlace}
${firstSteps}
<div class="columns" id="found"${problem === undefined ? '' : html` hidden`}>
<section aria-labelledby="statements-heading">
<h2 id="statements-heading">Recent statements</h2>
<p id="explained" class="quiet">Each row is what somebody says about data, programs or people. A signature proves who said it. Nothing proves a claim.</p>
<div id="statements" aria-busy="true">${withoutScript}</div>
</section>
${graphsSection}
</div>`,
  });
}

export const graphsSection = html`<section id="graphs-section" aria-labelledby="graphs-heading" hidden>
<h2 id="graphs-heading">Graphs</h2>
<div id="graphs"></div>
</section>`;

const withoutScript = html`<p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="/statements/v1?limit=20">recent statements</a>, <a href="/graph/v1">graphs</a>.</p></noscript>`;

export function searchForm({ q, type, by }: StartSearch): Html {
  const kinds = Object.values(statementKinds).map(({ name, label }) => [name, label] as const);
  const isForeign = type !== '' && !kinds.some(([name]) => name === type);
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === type ? html` selected` : ''}>${label}</option>`;
  return html`<form action="/ui" class="filters" role="search">
<label class="wide">Name, hash, CID, UUID or DID <input id="q" name="q" type="search" value="${q}" maxlength="2000" spellcheck="false" autocomplete="off" placeholder="model.bin"></label>
<label>Kind <select id="type" name="type">${option('', 'All kinds')}${kinds.map(([name, label]) => option(name, label))}${isForeign ? option(type, type) : ''}</select></label>
<label>Registered by <input id="by" name="by" value="${by}" maxlength="2000" spellcheck="false" autocomplete="off" placeholder="name or DID"></label>
<button>Search</button>
</form>`;
}

/** For a service without statements. */
export const firstSteps = html`<section id="first-steps" class="steps" aria-labelledby="first-heading" hidden>
<h2 id="first-heading">Nothing is stored here yet. Record a first step</h2>
<ol>
<li>Tell the commands where this service is:<pre tabindex="0"><code>export CAIRN_URL=<span id="service-url">http://127.0.0.1:3050</span></code></pre></li>
<li>In the folder of your project, create a graph for it:<pre tabindex="0"><code>cairn init</code></pre></li>
<li>Run a command and record what it read and what it wrote:<pre tabindex="0"><code>cairn record --name train --input data.csv --output model.bin -- python train.py</code></pre></li>
<li><a href="/ui">Reload this page</a>, or drop <code>model.bin</code> on it.</li>
</ol>
<p>To look around first, stop this service and start one with example data: <code>npm run demo</code>. To write statements yourself, see the <a href="/docs">API</a>.</p>
</section>`;

/** The page of a statement, in words. */
export async function statementPage(id: string, links: readonly Link[]): Promise<string> {
  const address = `/statements/v1/id/${encodeURIComponent(bareId(id))}`;
  return await readingPage({
    title: `Statement ${shortId(id)}`,
    here: start,
    about: id,
    script: 'statements/statement.ts',
    links,
    content: html`<nav class="over" aria-label="Path"><a href="/ui">Start</a> <span id="parents"></span></nav>
<p id="kind"></p>
<h1 id="heading">Statement</h1>
${problemPlace}
<div id="statement" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="${address}">the statement as JSON</a>, <a href="${address}/verification">its signatures</a>.</p></noscript></div>`,
  });
}

/** The page of a graph: where it belongs, its statements, and its export. */
export async function graphPage(id: string, links: readonly Link[]): Promise<string> {
  const statements = `/statements/v1?graph_id=${id}`;
  return await readingPage({
    title: `Graph ${shortId(id)}`,
    here: start,
    about: id,
    script: 'statements/graph.ts',
    links,
    content: html`<nav class="over" aria-label="Path"><a href="/ui">Start</a> <span id="parents"></span></nav>
<h1 id="heading">Graph</h1>
${problemPlace}
<div id="found" class="columns">
<section aria-labelledby="statements-heading">
<h2 id="statements-heading">Statements</h2>
<p class="quiet">Newest first. <a href="/ui?graph=${id}">Only the runs</a></p>
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
