import type { TrustAnswer } from '../integrity/trust.ts';
import { harmless } from './text.ts';

/** How a badge stands out. `parts.css` has its colour and icon. */
export type Tone = 'good' | 'plain' | 'warning' | 'bad';

interface Mark {
  readonly label: string;
  readonly meaning: string;
  readonly tone: Tone;
}

/** What a statement is marked with. `invalid` is a signature that does not count now. */
export type TrustMark = TrustAnswer['state'] | 'invalid';

export const trustMarks: Readonly<Record<TrustMark, Mark>> = {
  signed: { label: 'signed', meaning: 'a signature was checked and counts now', tone: 'good' },
  claimed: { label: 'claimed', meaning: 'nothing proves who registered it (not drawn)', tone: 'plain' },
  invalid: {
    label: 'not valid now',
    meaning: 'signed, but expired, suspended or not valid yet',
    tone: 'warning',
  },
  revoked: { label: 'revoked', meaning: 'signed, and its credential was revoked', tone: 'bad' },
  retracted: { label: 'retracted', meaning: 'whoever made it has withdrawn it', tone: 'bad' },
};

/** From the best to the worst. */
export const allMarks = Object.keys(trustMarks) as readonly TrustMark[];

export function trustMark({ state, valid }: Pick<TrustAnswer, 'state' | 'valid'>): TrustMark {
  return state === 'signed' && !valid ? 'invalid' : state;
}

/** The mark in words. Claims have none, because most statements are claims. */
export function markLabel(trust: TrustAnswer | undefined): string | undefined {
  const mark = trust && trustMark(trust);
  return mark === undefined || mark === 'claimed' ? undefined : trustMarks[mark].label;
}

/** The mark in a report, with who signed. */
export function standingWords(trust: TrustAnswer): string {
  const { by_registrant: isRegistrant } = trust;
  const words: Readonly<Record<TrustMark, string>> = {
    claimed: 'not signed',
    revoked: 'revoked',
    retracted: isRegistrant ? 'retracted by its registrant' : 'retracted',
    invalid: 'signature not valid now',
    signed: isRegistrant ? 'signed by its registrant' : 'signed by another',
  };
  return words[trustMark(trust)];
}

/** A sentence: who signed the statement, and whether that counts. */
export function trustWords(trust: TrustAnswer): string {
  const { state, by = 'an unknown key', by_registrant: isRegistrant, valid, reason, retraction } = trust;
  if (state === 'claimed') return 'Nothing proves who registered it.';
  if (!retraction)
    return `Signed by ${isRegistrant ? 'its registrant' : by}.${valid || reason === undefined ? '' : ` ${reason}`}`;
  const who = isRegistrant ? 'its registrant' : retraction.signed ? by : 'whoever registered it';
  const time = retraction.timestamp === undefined ? '' : ` at ${retraction.timestamp}`;
  // The reason is the text of whoever did it.
  return `Retracted by ${who}${time}${reason === undefined ? '.' : `: ${harmless(reason, 500)}`}`;
}

/** How the result of a check stands out. */
export const resultTones: Readonly<Record<'ok' | 'failed' | 'unknown', Tone>> = {
  ok: 'good',
  failed: 'bad',
  unknown: 'warning',
};

/** What a credential does for its subject. It only claims what nothing proves. */
export function vouchingVerb({ isProved, counts }: { isProved: boolean; counts: boolean }): string {
  if (!isProved) return 'claims to vouch for';
  return counts ? 'vouches for' : 'does not vouch now for';
}
