import { html } from 'hono/html';
import { shownKinds } from '../domain/integrity/kinds/shown.ts';
import { type Html, header, lineages, type Neighbour } from './header.ts';
import { page } from './page.ts';

/** What the page is about: a thing that can have a lineage, or what is wrong with the name that was given. */
export type Subject = { readonly id: string } | { readonly given: string; readonly problem: string };

/** The page of a lineage. It holds no data: its script asks the API, as whoever looks at it. */
export async function lineagePage(subject: Subject, neighbour: Neighbour | undefined): Promise<string> {
  if ('problem' in subject) return await entryWith(subject.given, problemNotice(subject.problem), neighbour);
  const bare = subject.id.replace(/^urn:(?:cid|uuid):/, '');
  return await page({
    title: `Lineage of ${bare.slice(0, 9)}…${bare.slice(-6)}`,
    body: lineage(subject.id, bare, neighbour),
    styles: ['page.css', 'lineage/drawing/kinds.css', 'lineage/drawing/drawing.css', 'lineage/panel.css'],
    script: 'lineage/lineage.ts',
  });
}

/** The page that asks what to look at. */
export async function entryPage(neighbour: Neighbour | undefined): Promise<string> {
  return await entryWith('', '', neighbour);
}

async function entryWith(
  given: string,
  notice: Html | '',
  neighbour: Neighbour | undefined,
): Promise<string> {
  return await page({ title: 'Lineage', body: entry(given, notice, neighbour), styles: ['page.css'] });
}

function entry(given: string, notice: Html | '', neighbour: Neighbour | undefined): Html {
  return html`${header({ about: lineages, neighbour })}
<main class="entry">
<h1>Lineage</h1>
<p>What was this made from, what was made from it, and who vouches for it?</p>
${notice}
<form action="/ui/lineage" class="open">
<label for="id">A CID, a UUID or a DID</label>
<input id="id" name="id" value="${given}" required autofocus spellcheck="false" autocomplete="off">
<button>Show its lineage</button>
</form>
<p>Every upload and every statement is answered with the CID to enter here. <code>npm run demo</code> prints one to begin with.</p>
</main>`;
}

function problemNotice(problem: string): Html {
  return html`<p class="problem" role="alert">${problem}</p>`;
}

const kindsJson = JSON.stringify(shownKinds);

const openField = html`<form action="/ui/lineage" class="open" role="search">
<label for="id" class="unseen">A CID, a UUID or a DID</label>
<input id="id" name="id" placeholder="Another CID, UUID or DID" required spellcheck="false" autocomplete="off">
<button>Open</button>
</form>`;

function lineage(id: string, bare: string, neighbour: Neighbour | undefined): Html {
  return html`${header({ about: lineages, neighbour, field: openField })}
<main id="lineage" data-id="${id}" data-kinds="${kindsJson}">
<div class="subject">
<h1 id="heading">Lineage of</h1>
<span class="copyable"><code id="start-id">${bare}</code><button type="button" class="copy" id="copy-start" aria-label="Copy the identifier">Copy</button></span>
</div>
<form id="question">
<fieldset>
<legend class="unseen">Direction</legend>
<label><input type="radio" name="direction" value="upstream">Made from</label>
<label><input type="radio" name="direction" value="both">Both</label>
<label><input type="radio" name="direction" value="downstream">Made into</label>
</fieldset>
<label for="depth">Depth <input id="depth" name="depth" type="number" min="0" max="100" inputmode="numeric"></label>
<label><input id="facts" name="facts" type="checkbox"> All facts</label>
</form>
<p id="summary"></p>
<section class="drawing" aria-label="Drawing">
<div id="view" role="application" aria-roledescription="graph" aria-label="Lineage, from left to right" aria-describedby="keys" aria-busy="true" tabindex="-1"><div id="world"></div></div>
<div id="notice" hidden></div>
<div class="zoom" role="group" aria-label="Zoom">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="fit">Fit</button>
</div>
<p id="keys">Arrows walk, Enter opens or folds, Esc deselects, Home goes to the start, + − 0 zoom, Shift and arrows pan.</p>
</section>
<aside aria-label="Details">
<div id="details"><noscript>The drawing needs JavaScript. The same as text: <a href="/lineage/v1/${encodeURIComponent(bare)}">JSON</a>.</noscript></div>
<details><summary>What lines and symbols mean</summary><div id="legend"></div></details>
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
