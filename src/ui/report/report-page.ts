import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import { bareId, counted } from '../../contract/words/text.ts';
import type { Report, Subject } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { actorsSection } from './actors.ts';
import { checksSection, missingSection } from './checks.ts';
import { commandsSection } from './commands.ts';
import { originsSection } from './origins.ts';
import { says, statementsSection } from './statements.ts';
import { verdict } from './verdict.ts';
import { byteSize, foreign, plain, sortOf, titleOf, when } from './words.ts';

/** Nothing can load or run, even if foreign text were not escaped. */
export const reportPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const style = ['report.css', 'drawing.css', 'media.css']
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');
const identifiersShown = 300;

/** A report as one file that needs no other. `html` escapes every inserted value that is not made by `html` itself. */
export async function reportPage(report: Report): Promise<string> {
  const [first] = report.subjects;
  const title = first ? titleOf(report, first.id) : 'nothing';
  const more = report.subjects.length > 1 ? ` and ${report.subjects.length - 1} more` : '';
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Evidence report: ${title}${more}</title>
<style>${raw(style)}</style>
</head>
<body>
<header><p>Evidence report</p><h1>${foreign(title)}${more}</h1><p>${when(report.madeAt.getTime())}, by Cairn</p></header>
<main>
${verdict(report)}
${subjectsSection(report)}
${originsSection(report)}
${actorsSection(report)}
${statementsSection(report)}
${checksSection(report)}
${missingSection(report)}
${commandsSection(report)}
${identifiers(report)}
</main>
</body>
</html>
`,
  );
}

/** Everything with its whole identifier, because paper has no links. */
function identifiers(report: Report): Html {
  const things = new Set(report.subjects.flatMap(({ lineage }) => lineage.nodes.map(({ id }) => id)));
  for (const { id } of report.statements) things.delete(id);
  const rows = [
    ...[...things].map((id) => [id, html`${foreign(titleOf(report, id))}, ${sortOf(report, id)}`] as const),
    ...report.statements.map((one) => [one.id, html`Statement: ${says(report, one)}`] as const),
  ];
  return html`<section aria-labelledby="s8">
<h2 id="s8">Appendix: identifiers in full</h2>
<table class="identifiers">
<thead><tr><th scope="col">What</th><th scope="col">Identifier</th></tr></thead>
<tbody>${rows.slice(0, identifiersShown).map(([id, words]) => html`<tr><td>${words}</td><td><code>${plain(bareId(id), 300)}</code></td></tr>`)}</tbody>
</table>
${rows.length > identifiersShown ? html`<p>And ${rows.length - identifiersShown} more.</p>` : ''}
</section>`;
}

/** Section 1: what the report is about, when it was made, and from what. */
function subjectsSection(report: Report): Html {
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
