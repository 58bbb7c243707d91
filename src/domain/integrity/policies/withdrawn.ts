import { statementTime } from '../identifiers/timestamp.ts';
import type { Retraction } from '../retractions/effective.ts';

/** Evidence that was there and does not count now. */
export interface Withdrawn {
  readonly statement: string;
  /** `retracted`, or what has become of its signature. */
  readonly state: string;
  /** Who has retracted it, if that is signed, or whose signature it is. */
  readonly by?: string | undefined;
  readonly at?: string | undefined;
  readonly reason?: string | undefined;
}

/** A retracted statement, and what it said something about. */
export interface RetractedFact extends Omit<Withdrawn, 'state'> {
  readonly kind: string;
  readonly of: string;
}

export function retractedFact(
  about: Pick<RetractedFact, 'statement' | 'kind' | 'of'>,
  { by, isSigned, reason, time }: Retraction,
): RetractedFact {
  return {
    ...about,
    ...(isSigned && { by }),
    ...(time !== null && { at: statementTime(new Date(time)) }),
    ...(reason !== null && { reason }),
  };
}

interface Lacking {
  readonly fact?: string;
  readonly kind?: string | undefined;
  readonly of?: string;
}

/** The retracted statements of the kinds that would say what a rule lacks. */
export function retractedFor(retracted: readonly RetractedFact[], lacking: readonly Lacking[]): Withdrawn[] {
  return retracted
    .filter((one) => lacking.some((missing) => couldSay(one, missing)))
    .map(({ kind: _, of: __, ...one }) => ({ ...one, state: 'retracted' }));
}

function couldSay(retracted: RetractedFact, { fact = '', kind, of }: Lacking): boolean {
  // Facts without an identifier are named by the thing that has them, about which there are other statements.
  if (kind !== undefined && !things.has(kind)) return false;
  if (retracted.kind !== (sayers.get(fact) ?? 'MetadataRegistration')) return false;
  return retracted.kind === 'ComputationRegistration' || retracted.of === of;
}

const things = new Set(['artefact', 'computation', 'agent']);

const sayers = new Map([
  ...said('GovernanceRegistration', ['reviews', 'declarations', 'certificates', 'memberships']),
  ...said('ComputationRegistration', ['made_by', 'computations', 'upstream', 'agents', 'provenance']),
  ...said('DataRegistration', ['signed_by', 'signers', 'signatures', 'statements', 'log']),
]);

function said(kind: string, facts: readonly string[]): (readonly [string, string])[] {
  return facts.map((fact) => [fact, kind]);
}
