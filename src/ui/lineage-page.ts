import { html } from 'hono/html';
import { bareId, shortId } from '../contract/words/text.ts';
import { type Html, header, type Link, lineages } from './header.ts';
import { kindsJson, page } from './page.ts';

/** The page of a lineage. It holds no data: its script asks the API with the credentials of the reader. */
export async function lineagePage(id: string, links: readonly Link[]): Promise<string> {
  return await page({
    title: `Lineage of ${shortId(id)}`,
    body: lineage(id, bareId(id), links),
    styles: [
      'lineage/lineage.css',
      'lineage/drawing/kinds.css',
      'lineage/drawing/drawing.css',
      'lineage/panel.css',
      'runs/runs.css',
    ],
    scripts: ['lineage/lineage.ts'],
  });
}

interface Entry {
  /** The identifier that the reader entered before. */
  readonly given?: string;
  /** What is wrong with it. */
  readonly problem?: string;
  readonly links: readonly Link[];
}

/** The page that asks for an identifier. */
export async function entryPage({ given = '', problem, links }: Entry): Promise<string> {
  return await page({
    title: 'Lineage',
    styles: [],
    scripts: ['file-drop.ts'],
    body: html`${header({ here: lineages, links })}
<main class="entry">
<h1>Lineage</h1>
<p>What was this made from, what was made from it, and who vouches for it?</p>
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
<form action="/ui/lineage" class="open">
<label for="id">A name, a hash, a CID, a UUID or a DID</label>
<input id="id" name="id" value="${given}" required autofocus spellcheck="false" autocomplete="off">
<button>Show its lineage</button>
</form>
<div id="file" class="file-drop"></div>
</main>`,
  });
}

function lineage(id: string, bare: string, links: readonly Link[]): Html {
  return html`${header({ here: lineages, links })}
<main id="lineage" data-id="${id}" data-kinds="${kindsJson}">
<div class="subject">
<h1 id="heading">Lineage of</h1>
<span class="copyable"><code id="start-id">${bare}</code><button type="button" class="copy" id="copy-start" aria-label="Copy the identifier">Copy</button></span>
${id.startsWith('urn:cid:') ? html`<a class="choice" href="/report/v1/${bare}">Report</a>` : ''}
</div>
<div class="tools">
<form id="question">
<fieldset>
<legend class="unseen">Direction</legend>
<label><input type="radio" name="direction" value="upstream">Made from</label>
<label><input type="radio" name="direction" value="both">Both</label>
<label><input type="radio" name="direction" value="downstream">Made into</label>
</fieldset>
<button type="button" id="more-options" aria-expanded="false" aria-controls="options">Options</button>
<div id="options">
<label for="depth">Depth <input id="depth" name="depth" type="number" min="0" max="100" inputmode="numeric"></label>
<label><input id="facts" name="facts" type="checkbox"> All facts</label>
<label for="trust">Statements <select id="trust" name="trust">
<option value="">All</option>
<option value="signed">Signed</option>
<option value="claimed">Claimed</option>
<option value="invalid">Not valid now</option>
<option value="revoked">Revoked</option>
<option value="retracted">Retracted</option>
</select></label>
<label><input id="retracted" name="retracted" type="checkbox"> Retracted computations</label>
</div>
</form>
<div id="file" class="file-drop"></div>
</div>
<section class="drawing" aria-label="Drawing">
<div id="view" role="application" aria-roledescription="graph" aria-label="Lineage, from left to right" aria-describedby="keys" aria-busy="true" tabindex="-1"><div id="world"></div></div>
<div id="notice" hidden></div>
<div class="zoom" role="group" aria-label="Zoom">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="fit">Fit</button>
</div>
<div id="foot">
<p id="summary"></p>
<p id="keys">Arrow keys move between nodes, Enter opens or folds, Esc deselects, Home goes to the start, + − 0 zoom, Shift and arrow keys pan.</p>
</div>
</section>
<aside aria-label="Details">
<div id="details"><noscript>The drawing needs JavaScript. The same as text: <a href="/lineage/v1/${encodeURIComponent(bare)}">JSON</a>.</noscript></div>
<section id="governance" aria-labelledby="governance-heading" hidden><h3 id="governance-heading">Governance</h3><div id="standing"></div></section>
<details><summary>Lines, symbols and marks</summary><div id="legend"></div></details>
<details><summary>All nodes as a list</summary>
<label for="filter">Name, kind or identifier contains</label>
<input id="filter" type="search" spellcheck="false" autocomplete="off">
<p id="nodes-note" role="status"></p>
<ul id="nodes"></ul>
</details>
</aside>
</main>
<div id="announcements" role="status" class="unseen"></div>`;
}
