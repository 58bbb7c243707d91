import { html } from 'hono/html';
import { bareId } from '../../contract/words/text.ts';
import { cidIn, codecs, digestHex } from '../../domain/integrity/identifiers/cid.ts';
import type { Report, ReportSource } from '../../domain/integrity/report/report.ts';
import { type Html, verifierAddress } from '../header.ts';
import { plain, titleOf } from './words.ts';

const mostGraphs = 5;
const hashPrograms = { blake3: 'b3sum', 'sha2-256': 'sha256sum' } as const;

interface Command {
  readonly why: string;
  readonly line: string;
  /** What the command prints if everything is right. */
  readonly prints?: string;
}

/** Section 7: how to check the report. */
export function commandsSection(report: Report): Html {
  return html`<section aria-labelledby="s7">
<h2 id="s7">7. How to check it yourself</h2>
<p><code>cairn</code> is the program that made this report, <code>b3sum</code> a common tool for BLAKE3 hashes. Neither needs this report. ${browserPage(report.source)}</p>
<ol class="commands">${commandsOf(report).map(
    ({ why, line, prints }) => html`<li><p>${why}</p>
<pre tabindex="0"><code>${line}</code></pre>${prints === undefined ? '' : html`<p>It must print <code>${prints}</code></p>`}</li>`,
  )}</ol>
</section>`;
}

/** The verifier, for readers without `cairn`. */
export function browserPage(source: ReportSource): Html {
  if (source.kind === 'manifest')
    return html`Without an installation, a browser does it: <code>cairn verifier &gt; verify.html</code> prints the page.`;
  const address = `${source.url.replace(/\/$/, '')}${verifierAddress}`;
  if (!/^https?:/.test(address)) return html``;
  return html`Without an installation, a browser does it: drop the evidence on <a href="${address}" rel="noreferrer">the verifier</a>, which works without a network, too.`;
}

function commandsOf(report: Report): Command[] {
  const { source, subjects } = report;
  const hashes = subjects.flatMap(({ id }) => hashOf(report, id));
  const first = subjects[0] && bareId(subjects[0].id);
  if (source.kind === 'manifest') {
    const file = shellWord(source.file);
    return [
      { why: 'Is the manifest the one of this report?', line: `b3sum ${file}`, prints: source.digest },
      {
        why: 'Verify every identifier, hash and signature in it. Add --signer for each DID that you trust:',
        line: `cairn verify ${file}`,
        prints: `${plain(source.file)}: unaltered; you have not said whom you trust (--signer, --keys)`,
      },
      ...hashes,
      ...(first === undefined
        ? []
        : [
            {
              why: 'Make this report again:',
              line: `cairn report ${file} --subject ${shellWord(first)} -o again.html`,
            },
          ]),
    ];
  }
  const graphs = [...new Set(report.statements.flatMap(({ graphIds }) => graphIds))].slice(0, mostGraphs);
  const which = graphs.length > 0 ? graphs.join(' ') : '--all';
  const service = `CAIRN_URL=${shellWord(source.url)}`;
  return [
    {
      why: 'Take the evidence home as one file, and verify it without the service:',
      line: `${service} cairn export ${which} -o evidence.car\ncairn verify evidence.car\ncairn report evidence.car --subject ${shellWord(first ?? '')} -o offline.html`,
    },
    ...hashes,
    {
      why: 'Ask the service again:',
      line: `${service} cairn lineage ${shellWord(first ?? '')} --direction upstream`,
    },
  ];
}

function hashOf(report: Report, id: string): Command[] {
  const cid = cidIn(id);
  if (!cid || cid.codec !== codecs.raw) return [];
  const title = titleOf(report, id);
  const file = report.names.has(id) ? shellWord(title) : 'FILE';
  return [
    {
      why: `Is the file that you have the one of this report (${title})?`,
      line: `${hashPrograms[cid.multihash]} ${file}`,
      prints: digestHex(cid),
    },
  ];
}

/** Quotes foreign text for a POSIX shell. It never looks like an option. */
export function shellWord(text: string): string {
  const safe = plain(text, 500).replace(/^-/, './-');
  return /^[\w.:%/@-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}
