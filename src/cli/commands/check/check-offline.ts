import { EvidencePool } from '../../../../workers/evidence-pool.ts';
import { type CheckAnswer, checkJson } from '../../../contract/integrity/checks.ts';
import type { ManifestFinding, ManifestSummary } from '../../../domain/integrity/manifest/summary.ts';
import { checkManifest } from '../../../domain/integrity/policies/check-manifest.ts';
import type { Facts } from '../../../domain/integrity/policies/facts.ts';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { exitCodes, Failure, failUsage } from '../../terminal/failure.ts';
import {
  type CarriedFile,
  type ManifestTrustOptions,
  maxDepth,
  openManifestVerification,
} from '../verify/verify-manifest.ts';

export interface Checked {
  readonly answer: CheckAnswer;
  /** What things are called, by identifier. */
  readonly names: ReadonlyMap<string, string>;
  /** Why a manifest has nothing that could be checked, if so. */
  readonly unjudged?: string;
}

export interface Question {
  readonly policy: Policy;
  /** Whether the answer has all facts. */
  readonly explain: boolean;
  /** The time of the check. Default: the present. */
  readonly now?: Date;
}

/** What is known beside a manifest. */
export interface Beside extends ManifestTrustOptions {
  /** DIDs that a signer `service` means. */
  readonly service: readonly string[];
}

const readMs = 60_000;

/**
 * Verifies a manifest, and answers from it alone. Nothing passes if it was altered.
 * @param subject undefined for the results of the manifest.
 * @param onFinding called with what the verification finds, and awaited.
 * @throws Failure (cannot tell) if nothing in it speaks of the subject, (usage) if several things have its name.
 */
export async function checkOffline(
  { path, form }: CarriedFile,
  { subject, policy, explain, now: at = new Date() }: Question & { readonly subject: string | undefined },
  sources: readonly ContextSource[],
  beside: Beside,
  onRead: (bytes: number) => void,
  onFinding?: (finding: ManifestFinding) => Promise<void>,
): Promise<Checked & { readonly summary: ManifestSummary }> {
  await using opened = new AsyncDisposableStack();
  const now = () => at;
  const { ports, file } = opened.use(await openManifestVerification(path, sources, beside, onRead, now));
  const evidenceReader = opened.use(new EvidencePool(maxDepth, readMs, () => {}));
  const checking = { ...ports, evidenceReader, serviceDids: new Set(beside.service), now };
  const request = { subject, policy, explain };
  const made = await checkManifest(checking, file, form, request, onFinding).catch((error) =>
    failAbout(error),
  );
  const { check, facts, summary, unjudged } = made;
  const answer = checkJson(check, explain ? facts : undefined);
  return { answer, names: namesIn(facts), summary, ...(unjudged !== undefined && { unjudged }) };
}

function namesIn(facts: readonly Facts[]): Map<string, string> {
  const things = facts
    .flatMap(({ things: { artefacts, agents } }) => [artefacts, agents])
    .flatMap(Object.entries<{ name?: string | undefined }>);
  return new Map(things.flatMap(([id, { name }]) => (name ? [[id, name]] : [])));
}

/**
 * @param advice what to do if nobody knows the subject.
 * @throws Failure (cannot tell) if nobody knows it, (usage) if several things have its name.
 */
export function failAbout(error: unknown, advice = ''): never {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  if (code === 'not_found') throw new Failure(exitCodes.cannotTell, `${message}${advice}`, { cause: error });
  if (code === 'conflict') failUsage(message);
  throw error;
}
