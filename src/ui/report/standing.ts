import { html } from 'hono/html';
import type { ReportedStatement } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { foreign, shortId } from './words.ts';

/** Whether a statement is signed and stands, in a few words. */
export function standingWords({ trust }: Pick<ReportedStatement, 'trust'>): string {
  if (trust.state === 'claimed') return 'not signed';
  if (trust.state === 'revoked') return 'revoked';
  if (!trust.isValid) return 'signature not valid now';
  return trust.isRegistrant ? 'signed by its registrant' : 'signed by another';
}

const tones = { claimed: 'plain', signed: 'good', revoked: 'bad' } as const;

/** The same as a mark, with the reasons. */
export function standing({ trust, signatures, isTrusted }: ReportedStatement): Html {
  const tone = trust.state === 'signed' && !trust.isValid ? 'warning' : tones[trust.state];
  const bad = signatures.filter(({ result }) => result !== 'ok').slice(0, 3);
  const isUnknown = signatures.some((signature) => signature.standing === 'unknown');
  return html`<span class="badge ${tone}">${standingWords({ trust })}</span>${
    trust.by !== undefined && !trust.isRegistrant ? html` by <code>${shortId(trust.by)}</code>` : ''
  }${trust.reason === undefined ? '' : html` ${foreign(trust.reason)}`}${bad.map(
    ({ result, reason }) =>
      html`<br>A signature ${result === 'failed' ? 'is wrong' : 'could not be checked'}${reason === null ? '' : html`: ${foreign(reason, 300)}`}`,
  )}${isUnknown ? html`<br>Whether its credential was revoked is unknown.` : ''}${
    isTrusted ? '' : html`<br>Read with a context that only the manifest vouches for.`
  }`;
}

/** Credentials carry the signatures of the others, and are not counted beside them. */
export function withoutCarriers(statements: readonly ReportedStatement[]): ReportedStatement[] {
  return statements.filter(({ kind }) => kind !== 'CredentialRegistration');
}
