import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import type { Vkey } from '../../log/notes/vkey.ts';
import type { ManifestForm } from '../manifest/carrier.ts';
import { indexManifest } from '../manifest/indexed/indexed-manifest.ts';
import type { ManifestFinding, ManifestSummary } from '../manifest/summary.ts';
import type { ManifestVerification } from '../manifest/verify.ts';
import { type Check, check } from './check.ts';
import type { Facts } from './facts.ts';
import { type CarriedReading, carriedFacts, carriedSubjects } from './gathering/carried.ts';
import { gatherFacts } from './gathering/gather-facts.ts';
import type { Policy } from './read-policy.ts';
import { needsOf } from './wanted.ts';

export interface ManifestChecking extends ManifestVerification, Omit<CarriedReading, 'logKeys' | 'now'> {
  readonly now: () => Date;
}

export interface ManifestCheckRequest {
  /** An identifier, a digest or a name; undefined for the results, from which nothing else was made. */
  readonly subject: string | undefined;
  readonly policy: Policy;
  /** Whether all facts are looked up, also those that the policy does not read. */
  readonly explain: boolean;
}

export interface ManifestCheck {
  readonly check: Check;
  readonly facts: readonly Facts[];
  readonly summary: ManifestSummary;
  /** Why nothing could be checked, if so. */
  readonly unjudged: string | undefined;
}

/**
 * Verifies a manifest and applies a policy to something in it. A manifest that was altered passes nothing.
 * @param onFinding called with what the verification finds, and awaited.
 * @throws ServiceError `not_found` if nothing in it speaks of the subject, `conflict` if several things have its name.
 */
export async function checkManifest(
  ports: ManifestChecking,
  file: RandomAccess,
  form: ManifestForm,
  { subject, policy, explain }: ManifestCheckRequest,
  onFinding: (finding: ManifestFinding) => void | Promise<void> = () => {},
): Promise<ManifestCheck> {
  const faults: string[] = [];
  let damage: string | undefined;
  const manifest = await indexManifest(ports, file, form, (finding) => {
    if (finding.kind === 'fault') {
      damage ??= `The manifest was altered or is damaged${finding.place && ` at ${finding.place}`}: ${finding.reason}`;
      if (faults.length < faultsKept) faults.push(finding.place);
    }
    return onFinding(finding);
  });
  const needs = needsOf(policy, explain);
  const now = ports.now();
  const { logs, policy: witnesses } = ports.logs;
  const known: Vkey[] = [...logs, ...[...witnesses.logs, ...witnesses.witnesses].map(({ vkey }) => vkey)];
  const reading = carriedFacts(manifest, { ...ports, logKeys: [...known, ...needs.logKeys], now });
  const subjects = await carriedSubjects(manifest, subject).catch(notFound(damage));
  const facts: Facts[] = [];
  for (const id of subjects.ids) {
    const refused = notFound(damage, `Nothing in the manifest speaks of ${id}.`);
    facts.push({ ...(await gatherFacts(reading, id, manifest.scope, needs).catch(refused)), faults });
  }
  const { isCut } = subjects;
  const unjudged = facts.length === 0 ? (damage ?? noResults) : undefined;
  return { check: await check(policy, { facts, isCut }, now), facts, summary: manifest.summary, unjudged };
}

const faultsKept = 100;
const noResults = 'The manifest has no results that could be checked. Name something that it speaks of.';

/** Says that the manifest is damaged, because what is lacking may be there. */
function notFound(damage: string | undefined, said?: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    const message = [said ?? error.message, ...(damage === undefined ? [] : [damage])].join(' ');
    throw new ServiceError('not_found', message, { cause: error });
  };
}
