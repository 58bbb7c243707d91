import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { Vkey } from '../../log/notes/vkey.ts';
import { scopeFor } from '../access/statement-scope.ts';
import type { StandingPorts } from '../logged/standings.ts';
import { type Check, check } from './check.ts';
import type { Facts } from './facts.ts';
import { gatherFacts } from './gathering/gather-facts.ts';
import { type StoredFactPorts, storedFacts } from './gathering/stored.ts';
import { type SubjectPorts, subjectsOf } from './gathering/subjects.ts';
import type { Policy } from './read-policy.ts';
import { needsOf } from './wanted.ts';

export type CheckingPorts = StoredFactPorts &
  StandingPorts &
  SubjectPorts & {
    /** The keys of the log of this service and of the witnesses that it asks. */
    readonly logKeys: readonly Vkey[];
    readonly now: () => Date;
  };

export interface CheckRequest {
  /** An identifier, a digest, a name, or the UUID of a graph. */
  readonly subject: string;
  readonly policy: Policy;
  readonly graphId: string | null;
  /** Whether all facts are looked up, also those that the policy does not read. */
  readonly explain: boolean;
}

/**
 * Applies a policy to what a service has about a subject, as its caller sees it.
 * @throws ServiceError `not_found` if nobody knows the subject, `conflict` if several things have its name.
 */
export async function checkStored(
  ports: CheckingPorts,
  principal: Principal,
  { subject, policy, graphId, explain }: CheckRequest,
): Promise<{ readonly check: Check; readonly facts: readonly Facts[] }> {
  const asked = await scopeFor(ports.graphs, principal, graphId);
  const subjects = await subjectsOf(ports, subject, asked);
  const scope = { ...asked, graphId: subjects.graphId };
  const needs = needsOf(policy, explain);
  // A check has one time, so that nothing expires while it is being read.
  const now = ports.now();
  const trusting = { ...ports.trusting, now: () => now };
  const keys = [...ports.logKeys, ...needs.logKeys];
  const reading = storedFacts({ ...ports, trusting }, principal, scope, keys);
  const facts: Facts[] = [];
  for (const id of subjects.ids) facts.push(await gatherFacts(reading, id, scope, needs));
  if (facts.length === 0) throw new ServiceError('not_found', 'There is nothing to check.');
  return { check: await check(policy, { facts, isCut: subjects.isCut }, now), facts };
}
