import { html } from 'hono/html';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import type { Report, ReportedStatement } from '../../domain/integrity/report/report.ts';
import type { Trust } from '../../domain/integrity/signatures/trust.ts';
import type { Html } from '../header.ts';
import { foreign, shortId } from './words.ts';

/** Whether a statement is signed and stands, in a few words. */
export function standingWords({ trust }: Pick<ReportedStatement, 'trust'>): string {
  if (trust.state === 'claimed') return 'not signed';
  if (trust.state === 'revoked') return 'revoked';
  if (trust.state === 'retracted') return trust.isRegistrant ? 'retracted by its registrant' : 'retracted';
  if (!trust.isValid) return 'signature not valid now';
  return trust.isRegistrant ? 'signed by its registrant' : 'signed by another';
}

/** The same as a mark, with the reasons. Only a signature by somebody who is trusted looks good. */
export function standing({ trusted }: Report, { trust, signatures, isTrusted }: ReportedStatement): Html {
  const tone = toneOf(trust, trusted.knownDids);
  const bad = signatures.filter(({ result }) => result !== 'ok').slice(0, 3);
  const isUnknown = signatures.some((signature) => signature.standing === 'unknown');
  return html`<span class="badge ${tone}">${standingWords({ trust })}</span>${
    trust.by !== undefined && !trust.isRegistrant ? html` by <code>${shortId(trust.by)}</code>` : ''
  }${trust.retraction === undefined || trust.retraction.time === null ? '' : ` at ${statementTime(new Date(trust.retraction.time))}.`}${trust.reason === undefined ? '' : html` ${foreign(trust.reason, 300)}`}${bad.map(
    ({ result, reason }) =>
      html`<br>A signature ${result === 'failed' ? 'is wrong' : 'could not be checked'}${reason === null ? '' : html`: ${foreign(reason, 300)}`}`,
  )}${isUnknown ? html`<br>Whether its credential was revoked is unknown.${trust.unknownStatus === undefined ? '' : html` ${foreign(trust.unknownStatus, 300)}`}` : ''}${
    isTrusted ? '' : html`<br>Read with a context that only the manifest vouches for.`
  }`;
}

function toneOf({ state, isValid, by = '' }: Trust, knownDids: ReadonlySet<string>): string {
  if (state === 'revoked' || state === 'retracted') return 'bad';
  if (state === 'claimed') return 'plain';
  if (!isValid) return 'warning';
  return knownDids.has(by) ? 'good' : 'plain';
}

/** Credentials carry the signatures of the others, and are not counted beside them. */
export function withoutCarriers(statements: readonly ReportedStatement[]): ReportedStatement[] {
  return statements.filter(({ kind }) => kind !== 'CredentialRegistration');
}
