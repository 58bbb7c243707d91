import { html } from 'hono/html';
import { type Html, header, type Link } from '../header.ts';
import { kindsJson, page } from '../page.ts';

export interface ReadingPage {
  readonly title: string;
  /** The entry of the navigation that the page belongs to. */
  readonly here: Link;
  /** The identifier that the page is about. */
  readonly about?: string;
  /** What the script needs besides: the ids of two runs. */
  readonly data?: { readonly a: string; readonly b: string };
  readonly script?: string;
  readonly content: Html;
  readonly links: readonly Link[];
  /** What the reader searches for. */
  readonly searched?: string;
}

/** A page about statements. It holds no data: its script asks the API with the credentials of the reader. */
export async function readingPage({
  title,
  here,
  about = '',
  data,
  script,
  content,
  links,
  searched = '',
}: ReadingPage): Promise<string> {
  return await page({
    title,
    styles: [
      'lineage/drawing/kinds.css',
      'statements/statements.css',
      'statements/statement.css',
      'runs/runs.css',
    ],
    scripts: script === undefined ? [] : [script],
    body: html`${header({ here, links, searched })}
<main id="page" class="reading" data-about="${about}"${data ? html` data-a="${data.a}" data-b="${data.b}"` : ''} data-kinds="${kindsJson}">
${content}
</main>
<div id="announcements" role="status" class="unseen"></div>`,
  });
}

/** Where a script says what went wrong. */
export const problemPlace = html`<div id="problem"></div>`;

/** A page that explains why there is nothing to show, and offers the search. */
export async function problemPage(
  { title, here, links, given }: Pick<ReadingPage, 'title' | 'here' | 'links'> & { readonly given: string },
  sentence: string,
  advice: Html | string,
): Promise<string> {
  return await readingPage({
    title,
    here,
    links,
    content: html`<h1>${title}</h1>
<p role="alert">${sentence}</p>
<p>${advice}</p>
<form action="/ui" class="open" role="search">
<label for="q" class="unseen">A name, a hash, a CID, a UUID or a DID</label>
<input id="q" name="q" value="${given}" maxlength="2000" required spellcheck="false" autocomplete="off">
<button>Search</button>
</form>`,
  });
}
