import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import { exitCodes, Failure, failNo } from '../../terminal/failure.ts';
import type { Checked } from './check-offline.ts';

/** @throws Failure (no, cannot tell) */
export function failUnlessPassed(
  { answer: { result }, unjudged }: Checked,
  { document: { name } }: Policy,
): void {
  if (result === 'fail') failNo(`The policy "${name}" is not fulfilled.`);
  const why = unjudged === undefined ? '' : ` ${unjudged}`;
  if (result === 'cannot_tell')
    throw new Failure(
      exitCodes.cannotTell,
      `Nobody can tell whether the policy "${name}" is fulfilled.${why}`,
    );
}

/** What to say if nobody has said which service a policy means; undefined if it means none. */
export function unnamedService({ document }: Policy, service: readonly string[]): string | undefined {
  const isMeant = Object.values(document.signers).flat().includes('service');
  return isMeant && service.length === 0
    ? 'The policy has the signer "service". Name its DID with --service, or its signatures do not count.'
    : undefined;
}
