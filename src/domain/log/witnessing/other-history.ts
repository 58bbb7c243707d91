import { ServiceError } from '../../errors.ts';
import type { Contradiction } from './ask-witness.ts';

const remedy =
  'Nothing is signed, because a log must not have two histories. This happens when an older backup was restored. Restore a newer one, or go on under a new origin: see docs/backup.md.';

/** Somebody knows another history of a log than this store has. */
export class OtherHistory extends ServiceError {
  constructor(message: string) {
    super('unavailable', message);
    this.name = 'OtherHistory';
  }
}

/**
 * @param who what knows the other history, with a verb, such as "The witness w1 has cosigned".
 * @throws OtherHistory
 */
export function throwOtherHistory(
  who: string,
  origin: string,
  { code, size, isProven }: Contradiction,
  ownSize: number,
): never {
  const known =
    code === 'larger_tree'
      ? `${who} a tree of size ${size} of the log ${origin}, and this store has only ${ownSize} entries.`
      : `${who} another tree of size ${size} of the log ${origin} than this store has.`;
  const doubt = isProven
    ? ''
    : ' It has not proved that. If you know that it is wrong, remove it from the policy.';
  throw new OtherHistory(`${known}${doubt} ${remedy}`);
}
