import type { StatementVerificationAnswer as Verification } from '../../../contract/integrity/statements.ts';
import { harmless } from '../../../contract/words/text.ts';
import { resultTones } from '../../../contract/words/trust.ts';
import { badge } from '../badge.ts';
import { element, section } from '../element.ts';
import { localTime } from '../times.ts';
import { foreignText, isIdentifier, type Names, statementAddress, thing } from './shown-text.ts';

type Signature = Verification['signatures'][number];

const results = { ok: 'checked', failed: 'wrong', unknown: 'not checked' } as const;

/** Who signed the statement, and whether each signature holds. */
export function signatureSection({ signatures, jcs_cid: own }: Verification, names: Names): HTMLElement[] {
  if (signatures.length === 0) return [];
  const items = signatures.map((one) => {
    const { signer, carried_by: carrier, reason, valid_until: until } = one;
    const who =
      signer === null ? 'an unknown key' : isIdentifier(signer) ? thing(signer, names) : foreignText(signer);
    const role = one.is_registrant ? ', its registrant' : '';
    const carried = element('a', { href: statementAddress(carrier) }, 'a credential');
    const means = carrier === own ? [] : [', with ', carried];
    return element(
      'li',
      {},
      element(
        'span',
        { class: 'row' },
        ...marksOf(one),
        element('span', {}, 'Signed by ', who, role, ...means),
      ),
      reason !== undefined && element('p', {}, harmless(reason, 500)),
      until !== undefined && element('p', { class: 'quiet' }, `Valid until ${localTime(until)}`),
    );
  });
  return [section('Signatures', element('ul', { class: 'cards' }, ...items))];
}

function marksOf({ result, revoked, suspended }: Signature): HTMLElement[] {
  return [
    badge(resultTones[result], results[result]),
    ...(revoked ? [badge('bad', 'revoked')] : []),
    ...(suspended ? [badge('warning', 'suspended')] : []),
  ];
}
