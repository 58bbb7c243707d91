import { html } from 'hono/html';
import { bareId, shortId } from '../../contract/words/text.ts';
import { type Link, start } from '../header.ts';
import { problemPlace, readingPage } from './shell.ts';

/** The page of a statement, in words. */
export async function statementPage(id: string, links: readonly Link[]): Promise<string> {
  const address = `/statements/v1/id/${encodeURIComponent(bareId(id))}`;
  return await readingPage({
    title: `Statement ${shortId(id)}`,
    here: start,
    about: id,
    script: 'statements/statement.ts',
    links,
    searches: true,
    content: html`<nav class="over" aria-label="Path"><a href="/ui">Start</a> <span id="parents"></span></nav>
<p id="kind"></p>
<h1 id="heading">Statement</h1>
${problemPlace}
<div id="statement" aria-busy="true"><p class="quiet waiting">Loading…</p><noscript><p>This page needs JavaScript. The same as text: <a href="${address}">the statement as JSON</a>, <a href="${address}/verification">its signatures</a>.</p></noscript></div>`,
  });
}
