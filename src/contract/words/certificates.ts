import type { GovernanceStatusAnswer } from '../integrity/governance.ts';
import { bareId, counted } from './text.ts';

type Certificate = Pick<
  GovernanceStatusAnswer['certificates'][number],
  'lost' | 'standing' | 'unreviewedControlCids'
>;

/** What a reader of a certificate must know beside its standing, one sentence each. */
export function certificateReasons({ lost, standing, unreviewedControlCids }: Certificate): string[] {
  const open = standing === 'valid' ? unreviewedControlCids.length : 0;
  return [
    ...(lost ? [`It rests on ${bareId(lost.statement)}, which is ${lost.state}.`] : []),
    ...(standing === 'unknown'
      ? ['Something that it rests on is not in this store, so nobody can tell whether it still stands.']
      : []),
    ...(open > 0 ? [`The last review has not approved ${counted(open, 'control')} of its policy.`] : []),
  ];
}
