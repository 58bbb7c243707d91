import { html } from 'hono/html';
import { wholeLogWords } from '../../contract/log-words.ts';
import { sentenceOf } from '../../contract/sentences.ts';
import { counted } from '../../contract/words/text.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { unknownSupport } from '../../domain/integrity/governance/support.ts';
import type { Report, Trusted } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { markOf, withoutCarriers } from './standing.ts';
import { actor, foreign } from './words.ts';

const faultsShown = 20;
const signersShown = 10;

/** What the most common problems mean, before the exact reason. */
const plainWords: Partial<Record<ErrorCode, string>> = {
  id_mismatch: 'A statement was altered, or has the wrong identifier.',
  cid_mismatch: 'Content was altered, or has the wrong identifier.',
  invalid_json: 'The file is damaged or incomplete.',
  unexpected_content: 'There is content that does not belong here.',
};

const tones = { failed: 'bad', unaltered: 'neutral', partly_known: 'neutral', known: 'good' } as const;

/** The answer in one box: whether anything was altered, who signed, and what needs attention. */
export function verdict(report: Report): Html {
  const { checks, trusted, judgement } = report;
  const { count, first } = checks.faults;
  const { answer } = judgement;
  if (answer !== 'failed')
    return html`<section class="verdict ${tones[answer]}" aria-labelledby="verdict">
<h2 id="verdict">${titles[answer](trusted)}</h2>
<p>${checkedWords(report)} Identifiers are computed from the content, so any change would show.</p>
${answer === 'unaltered' ? html`<p>Anybody can make such statements. Nobody has said whose word counts for this report${report.source.kind === 'manifest' ? html` (<code>--signer</code>, <code>--keys</code>)` : ''}, so it only lists who signed.</p>` : ''}
${trusted.logs.map((log) => html`<p>It has ${foreign(wholeLogWords(log), 600)}.</p>`)}
${signersList(report)}
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

const titles = {
  unaltered: () => 'Unaltered',
  partly_known: ({ ids, known }: Trusted) =>
    `Unaltered; ${known.toLocaleString('en')} of ${counted(ids, 'statement')} ${known === 1 ? 'is' : 'are'} signed by those who are trusted`,
  known: () => 'Unaltered, and every statement is signed by those who are trusted',
};

/** Who signed, and whether the maker of the report has named them. */
function signersList(report: Report): Html {
  const { signers, isAsked, ids, knownDids } = report.trusted;
  const known = (isKnown: boolean) =>
    isKnown ? html`, <strong>trusted</strong>` : ', not among the trusted';
  const silent = [...knownDids].filter((did) => !signers.some(({ signer }) => signer === did));
  return html`${
    signers.length === 0
      ? html`<p>${ids === 0 ? 'There is no statement.' : 'Nobody has signed a statement so that it counts now.'}</p>`
      : html`<p>Who signed:</p>
<ul>${signers
          .slice(0, signersShown)
          .map(
            ({ signer, statements, asRegistrant, isKnown }) =>
              html`<li>${actor(report, signer ?? 'an unknown key')}: ${counted(statements, 'statement')}, ${asRegistrant === statements ? 'all' : asRegistrant} as registrant${isAsked ? known(isKnown) : ''}</li>`,
          )}</ul>`
  }${signers.length > signersShown ? html`<p>And ${counted(signers.length - signersShown, 'further key')}.</p>` : ''}${
    silent.length > 0
      ? html`<p>Trusted, but without a signature here: ${silent.slice(0, signersShown).map((did, at) => html`${at > 0 ? ', ' : ''}${actor(report, did)}`)}</p>`
      : ''
  }`;
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
  const { missing, trusted } = report;
  const { revoked: withdrawn, suspended, unknown } = trusted.credentials;
  const statements = withoutCarriers(report.statements);
  const broken = statements.filter(({ signatures }) =>
    signatures.some(({ check }) => check.result === 'failed'),
  );
  const marks = Object.groupBy(statements, markOf);
  const { retracted = [], revoked = [], invalid = [], signed = [], claimed = [] } = marks;
  const unsupported = report.governance.filter(({ lost }) => lost && lost !== unknownSupport).length;
  const [unknownReason] = trusted.credentials.reasons;
  const lines = [
    broken.length > 0 && `${counted(broken.length, 'statement')} with a signature that is wrong.`,
    retracted.length > 0 &&
      `${counted(retracted.length, 'statement')} that ${retracted.length === 1 ? 'was' : 'were'} retracted by whoever made ${retracted.length === 1 ? 'it' : 'them'}.`,
    revoked.length > 0 && `${counted(revoked.length, 'statement')} whose signature has been revoked.`,
    invalid.length > 0 &&
      `${counted(invalid.length, 'statement')} whose signature does not count now: expired, suspended or not valid yet.`,
    withdrawn + suspended > 0 &&
      `${counted(withdrawn + suspended, 'credential')} in the whole manifest ${withdrawn + suspended === 1 ? 'is' : 'are'} revoked or suspended.`,
    unknown > 0 &&
      `Whether ${counted(unknown, 'credential')} in the whole manifest ${unknown === 1 ? 'was' : 'were'} revoked is unknown: ${unknownReason ? sentenceOf(unknownReason.reason) : ''}`,
    unsupported > 0 &&
      `${counted(unsupported, 'certificate')} that no longer ${unsupported === 1 ? 'stands' : 'stand'}, because a statement behind ${unsupported === 1 ? 'it' : 'them'} was withdrawn (section 4).`,
    claimed.length > 0 &&
      (signed.length === 0
        ? 'No statement about this or its origins has a valid signature. The statements show who is named as author, not who it was.'
        : `${counted(claimed.length, 'statement')} without a signature: nothing proves who made them.`),
    missing.length > 0 &&
      `${counted(missing.length, 'thing')} that the statements name ${missing.length === 1 ? 'is' : 'are'} not included (section 6).`,
    report.subjects.length === 0 && 'There is no computation or data registration to report on.',
  ].filter((line) => line !== false);
  return lines.length === 0
    ? html``
    : html`<p>What needs attention:</p><ul>${lines.map((line) => html`<li>${foreign(line, 400)}</li>`)}</ul>`;
}
