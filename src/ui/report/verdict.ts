import { html } from 'hono/html';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { withoutCarriers } from './standing.ts';
import { counted, foreign } from './words.ts';

const faultsShown = 20;

/** What the most common problems mean, before the exact reason. */
const plainWords: Partial<Record<ErrorCode, string>> = {
  id_mismatch: 'A statement was altered, or has the wrong identifier.',
  cid_mismatch: 'Content was altered, or has the wrong identifier.',
  invalid_json: 'The file is damaged or incomplete.',
  unexpected_content: 'There is content that does not belong here.',
};

/** The answer in one box: whether verification succeeded, and what needs attention. */
export function verdict(report: Report): Html {
  const { checks } = report;
  const { count, first } = checks.faults;
  if (count === 0)
    return html`<section class="verdict good" aria-labelledby="verdict">
<h2 id="verdict">Verified: nothing was altered</h2>
<p>${checkedWords(report)} Identifiers are computed from the content, so any change would show.</p>
${attention(report)}
</section>`;
  return html`<section class="verdict bad" aria-labelledby="verdict">
<h2 id="verdict">Verification failed: ${counted(count, 'problem')}</h2>
<p>Do not rely on what this report says until these are explained. ${checkedWords(report)}</p>
<ul>${first
    .slice(0, faultsShown)
    .map(
      ({ code, place, reason }) =>
        html`<li>${plainWords[code] ?? ''} ${foreign(reason, 400)} <span class="quiet">Place: <code>${foreign(place || 'the whole file', 200)}</code></span></li>`,
    )}</ul>
${count > faultsShown ? html`<p>And ${counted(count - faultsShown, 'further problem')}. <code>cairn verify</code> lists them all.</p>` : ''}
${attention(report)}
</section>`;
}

function checkedWords({ checks, source }: Report): string {
  const statements = counted(checks.statements, 'statement');
  const blobs = counted(checks.blobs, 'file or document', 'files and documents');
  const where = source.kind === 'manifest' ? 'In the whole manifest' : 'By the service';
  const result = checks.faults.count === 0 ? 'and match' : 'and match where nothing else is said below';
  return `${where}, the identifiers of ${statements} and of ${blobs} were computed again, ${result}.`;
}

/** What a reader must know although verification succeeded. */
function attention(report: Report): Html {
  const { missing } = report;
  const statements = withoutCarriers(report.statements);
  const states = Object.groupBy(statements, ({ trust }) =>
    trust.state === 'signed' && !trust.isValid ? 'invalid' : trust.state,
  );
  const broken = statements.filter(({ signatures }) => signatures.some(({ result }) => result === 'failed'));
  const { revoked = [], invalid = [], signed = [], claimed = [] } = states;
  const lines = [
    broken.length > 0 && `${counted(broken.length, 'statement')} with a signature that is wrong.`,
    revoked.length > 0 && `${counted(revoked.length, 'statement')} whose signature has been revoked.`,
    invalid.length > 0 &&
      `${counted(invalid.length, 'statement')} whose signature does not count now: expired, suspended or not valid yet.`,
    claimed.length > 0 &&
      (signed.length === 0
        ? 'No statement here has a valid signature. The statements show who is named as author, not who it was.'
        : `${counted(claimed.length, 'statement')} without a signature: nothing proves who made them.`),
    missing.length > 0 &&
      `${counted(missing.length, 'thing')} that the statements name ${missing.length === 1 ? 'is' : 'are'} not included (section 6).`,
    report.subjects.length === 0 && 'There is no computation or data registration to report on.',
  ].filter((line) => line !== false);
  return lines.length === 0
    ? html``
    : html`<p>What needs attention:</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}
