import { html } from 'hono/html';
import { bareId, counted } from '../../contract/words/text.ts';
import type { Report, Subject } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { byteSize, foreign, plain, sortOf, titleOf, when } from './words.ts';

/** Section 1: what the report is about, when it was made, and from what. */
export function subjectsSection(report: Report): Html {
  const { subjects, otherSubjects, source, madeAt } = report;
  return html`<section aria-labelledby="s1">
<h2 id="s1">1. What it is</h2>
${subjects.map((subject) => one(report, subject))}
${otherSubjects > 0 ? html`<p>The manifest has ${counted(otherSubjects, 'further result')}. <code>cairn report … --subject</code> reports on any of them.</p>` : ''}
<dl>
<dt>Report made</dt><dd>${when(madeAt.getTime())}</dd>
${
  source.kind === 'manifest'
    ? html`<dt>Made from</dt><dd>the manifest ${foreign(source.file)} (${byteSize(source.size)}), offline</dd>
<dt>BLAKE3 of the manifest</dt><dd><code>${source.digest}</code></dd>`
    : html`<dt>Made by</dt><dd>the Cairn service at ${foreign(source.url)}</dd>`
}
</dl>
</section>`;
}

function one(report: Report, { id }: Subject): Html {
  const content = report.contents.get(id);
  return html`<dl class="subject">
<dt>Name</dt><dd><strong>${foreign(titleOf(report, id))}</strong></dd>
<dt>Kind</dt><dd>${sortOf(report, id)}</dd>
${id.startsWith('urn:cid:bagb6qaq6') ? '' : html`<dt>Size</dt><dd>${content ? byteSize(content.size) : 'unknown: its bytes are not included'}</dd>`}
<dt>Identifier</dt><dd><code>${plain(bareId(id), 500)}</code></dd>
</dl>`;
}
