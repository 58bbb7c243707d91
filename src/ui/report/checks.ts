import { html } from 'hono/html';
import { standingAnswer, wholeLogWords } from '../../contract/log-words.ts';
import { allLoggedWords } from '../../contract/words/logged.ts';
import { counted } from '../../contract/words/text.ts';
import type { Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { foreign, label, plainTime, sortOf } from './words.ts';

const missingShown = 50;

/** Section 5: what was verified, and how. */
export function checksSection(report: Report): Html {
  const { checks, contents, statements, source } = report;
  const isManifest = source.kind === 'manifest';
  const signatures = statements.flatMap((statement) => statement.signatures);
  const results = (wanted: string) => signatures.filter(({ check }) => check.result === wanted).length;
  const standings = signatures.filter(({ standing }) => standing !== undefined);
  const unknown = standings.filter(({ standing }) => standing === 'unknown').length;
  const unhashed = [...contents.values()].filter(({ isHashed }) => !isHashed).length;
  const rows: [string, Html][] = [
    [
      'Identifiers of statements',
      html`${counted(checks.statements, 'statement')}: both the meaning (RDFC-1.0) and the exact text (RFC 8785) were hashed again and compared.${checks.unchecked > 0 ? ` ${counted(checks.unchecked, 'further statement')} of this lineage ${checks.unchecked === 1 ? 'was' : 'were'} not.` : ''}`,
    ],
    [
      'Contents',
      html`${counted(checks.blobs, 'file or document', 'files and documents')}: the bytes were hashed and compared with their identifiers.${unhashed > 0 ? ` ${counted(unhashed, 'large file')} ${unhashed === 1 ? 'is' : 'are'} stored and ${unhashed === 1 ? 'was' : 'were'} not hashed for this report.` : ''}`,
    ],
    [
      'Contexts',
      isManifest
        ? html`${counted(checks.contexts ?? 0, 'document')}, in which the words of the statements are defined; ${checks.unverifiedContexts.length === 0 ? 'all are known or have the hash in their name.' : html`for ${checks.unverifiedContexts.length} only the manifest vouches (section 6).`}`
        : html`Each statement was read with the documents that were stored with it.`,
    ],
    [
      'Coverage',
      checks.uncovered === 0
        ? html`The identifiers cover everything that the statements say.`
        : html`${counted(checks.uncovered, 'statement')} ${checks.uncovered === 1 ? 'has' : 'have'} members that the identifier does not cover. They could have been changed unnoticed.`,
    ],
    [
      'Signatures',
      signatures.length === 0
        ? html`The statements of this lineage carry none.`
        : html`${counted(signatures.length, 'signature')} about the statements of this lineage: ${results('ok')} right, ${results('failed')} wrong, ${results('unknown')} that could not be checked here.`,
    ],
    [
      'Status lists',
      standings.length === 0
        ? html`No signature here comes with a credential that can be revoked.`
        : html`${counted(standings.length, 'credential')} that can be revoked: the status of ${standings.length - unknown} is known, of ${unknown} unknown.`,
    ],
    ['Log', logWords(report)],
  ];
  return html`<section aria-labelledby="s5">
<h2 id="s5">5. What was verified, and how</h2>
<p>${isManifest ? 'Everything was computed on the machine that made this report, from the manifest alone and without a network.' : 'The service computed this from what it stores. To check it without trusting the service, export and verify it (section 7).'}</p>
<dl class="checks">${rows.map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>
</section>`;
}

/** What a log has committed to, and since when. */
function logWords({ source, trusted, logged }: Report): Html {
  if (source.kind === 'service') {
    const words = allLoggedWords([...logged.values()].map(standingAnswer), plainTime);
    return html`${foreign(words ?? 'The log of the service has none of these statements.', 600)} The receipts prove it (<code>cairn verify</code>).`;
  }
  if (trusted.logs.length === 0)
    return html`The manifest has no proof of a log. So nothing here shows when its statements were stored, or that none was left out.`;
  const rest =
    trusted.unlogged > 0 ? ` No log has ${counted(trusted.unlogged, 'statement')} of the manifest.` : '';
  return html`${trusted.logs.map((log) => html`${foreign(wholeLogWords(log), 600)}. `)}${rest}`;
}

function completenessWords({ trusted, source }: Report): string {
  const logs = trusted.logs.filter(({ checkpoint }) => checkpoint.isKnown);
  if (logs.length > 0)
    return 'The log shows that nothing which it had was left out (section 5). What was never sent to it is not there.';
  const more = source.kind === 'service' ? ' An export with proofs shows it for a whole graph.' : '';
  return `Nobody can tell from this which statements were left out.${more}`;
}

/** Section 6: what is missing, and what no such report can prove. */
export function missingSection(report: Report): Html {
  const { missing, notLookedUp, checks, subjects, statements, source } = report;
  const cut = subjects.some(({ lineage }) => lineage.isTruncated);
  const unknown = statements.filter(({ signatures }) =>
    signatures.some(({ standing }) => standing === 'unknown'),
  ).length;
  const where =
    source.kind === 'manifest'
      ? 'not in the manifest'
      : 'not stored in the service, or not open to the reader for whom it was made';
  const lines = [
    notLookedUp > 0 &&
      html`${counted(notLookedUp, 'further thing')} that the statements refer to ${notLookedUp === 1 ? 'was' : 'were'} not looked up.`,
    cut && html`The origins go further than this report follows. Boxes and lines that end early are marked.`,
    unknown > 0 &&
      html`Whether the credentials behind ${counted(unknown, 'statement')} were revoked is unknown, because their status lists were not given.`,
    ...checks.unverifiedContexts
      .slice(0, missingShown)
      .map(
        (url) =>
          html`The context <code>${foreign(url, 200)}</code> is unverified: only the manifest says what its words mean.`,
      ),
    checks.missing !== undefined &&
      checks.missing.count > missing.length &&
      html`The whole manifest refers to ${counted(checks.missing.count, 'thing')} that it does not contain.`,
  ].filter((line) => line !== false);
  return html`<section aria-labelledby="s6">
<h2 id="s6">6. What is missing</h2>
${
  missing.length === 0
    ? html`<p>All contents and statements that ${notLookedUp > 0 ? 'were looked up' : 'the statements of this lineage refer to'} are there.</p>`
    : html`<p>${counted(missing.length, 'thing')} that the statements refer to ${missing.length === 1 ? 'is' : 'are'} ${where}. ${missing.length === 1 ? 'Its identifier is known, so it can be checked when you have it.' : 'Their identifiers are known, so they can be checked when you have them.'}</p>
<ul>${missing.slice(0, missingShown).map((id) => html`<li>${label(report, id)} <span class="quiet">${sortOf(report, id)}</span></li>`)}</ul>`
}
${missing.length > missingShown ? html`<p>And ${missing.length - missingShown} more.</p>` : ''}
${lines.length === 0 ? '' : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
<h3>What this report cannot prove</h3>
<ul>
<li><strong>Truth.</strong> A statement is a claim. The report shows who claims it, not whether it is right.</li>
<li><strong>Authorship without a signature.</strong> An author who has not signed is only a name in the statement.</li>
<li><strong>Time.</strong> Times in statements and signatures are those of their authors. A log can show that a statement existed by a certain time, and whose clock says so (section 5).</li>
<li><strong>Completeness.</strong> ${completenessWords(report)}</li>
<li><strong>Itself.</strong> This file is not signed and can be edited. The commands below show whether it is right.</li>
</ul>
</section>`;
}
