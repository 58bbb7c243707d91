import { html } from 'hono/html';
import { type Link, logLink, verifierAddress } from '../header.ts';
import { problemPlace, readingPage } from './shell.ts';

/** How the log and its witnesses are, and a field to check a receipt. */
export async function logPage(links: readonly Link[]): Promise<string> {
  return await readingPage({
    title: 'Log',
    here: logLink,
    script: 'log/log.ts',
    links,
    content: html`<h1>Log</h1>
<p class="quiet">Every statement that is stored here gets an entry in a log. Anybody who keeps a checkpoint of it can tell if an entry was taken away or changed later, by the operator of this service too. Witnesses keep every checkpoint.</p>
${problemPlace}
<div class="columns" id="log" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="/log/v1/overview">the log as JSON</a>.</p></noscript></div>
<section aria-labelledby="receipt-heading">
<h2 id="receipt-heading">Check a receipt</h2>
<form id="check" class="stacked">
<label for="receipt">The text of a receipt (.tlog-proof)</label>
<p><textarea id="receipt" name="receipt" rows="6" cols="60" maxlength="65536" required spellcheck="false" autocomplete="off" placeholder="c2sp.org/tlog-proof@v1"></textarea></p>
<button>Check</button>
</form>
<div id="checked" role="status"></div>
<p class="quiet">This service checks it with its own keys. If you do not trust this service, use <code>cairn verify --receipt</code>, or keep a copy of <a href="${verifierAddress}">the verifier</a>, a page that needs no service.</p>
</section>`,
  });
}
