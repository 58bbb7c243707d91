import { html } from 'hono/html';
import { sentenceOf, trustAnswer } from '../../contract/sentences.ts';
import { standingWords, type TrustMark, trustMark, trustMarks } from '../../contract/words/trust.ts';
import type { Report, ReportedStatement } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { foreign, label } from './words.ts';

export function markOf({ trust }: Pick<ReportedStatement, 'trust'>): TrustMark {
  return trustMark(trustAnswer(trust));
}

/** Whether a statement is signed and stands, in a few words. */
export function wordsOf({ trust }: Pick<ReportedStatement, 'trust'>): string {
  return standingWords(trustAnswer(trust));
}

/** The same as a mark, with the reasons. Only a signature by somebody who is trusted looks good. */
export function standing(report: Report, statement: ReportedStatement): Html {
  const { trusted } = report;
  const { trust, signatures, isTrusted } = statement;
  const { by, by_registrant: isRegistrant, reason, retraction } = trustAnswer(trust);
  const mark = markOf(statement);
  const tone = mark === 'signed' && !trusted.knownDids.has(by ?? '') ? 'plain' : trustMarks[mark].tone;
  const bad = signatures.flatMap(({ check }) => (check.result === 'ok' ? [] : check)).slice(0, 3);
  const isUnknown = signatures.some((signature) => signature.standing === 'unknown');
  return html`<span class="badge ${tone}">${wordsOf(statement)}</span>${
    by !== undefined && !isRegistrant ? html` by ${label(report, by)}` : ''
  }${retraction?.timestamp === undefined ? '' : ` at ${retraction.timestamp}.`}${reason === undefined ? '' : html` ${foreign(reason, 300)}`}${bad.map(
    ({ result, reason }) =>
      html`<br>A signature ${result === 'failed' ? 'is wrong' : 'could not be checked'}: ${foreign(sentenceOf(reason), 300)}`,
  )}${isUnknown ? html`<br>Whether its credential was revoked is unknown.${trust.unknownStatus === undefined ? '' : html` ${foreign(sentenceOf(trust.unknownStatus), 300)}`}` : ''}${
    isTrusted ? '' : html`<br>Read with a context that only the manifest vouches for.`
  }`;
}

/** Credentials carry the signatures of the others, and are not counted beside them. */
export function withoutCarriers(statements: readonly ReportedStatement[]): ReportedStatement[] {
  return statements.filter(({ kind }) => kind !== 'CredentialRegistration');
}
