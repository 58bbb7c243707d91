import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import type { ManifestForm } from '../manifest/carrier.ts';
import { type IndexedManifest, indexManifest } from '../manifest/indexed/indexed-manifest.ts';
import type { ManifestFinding, ManifestSummary } from '../manifest/summary.ts';
import type { ManifestVerification } from '../manifest/verify.ts';
import { judge } from '../policies/verification.ts';
import { carriedContents, carriedNames, subjectsNamed } from './carried.ts';
import { gather } from './gather.ts';
import type { Checks, Fault, Listed, Report, ReportSource } from './report.ts';
import { resultsIn } from './results.ts';

export interface ManifestReporting extends ManifestVerification {
  readonly now: () => Date;
}

const listed = 100;
const mostSubjects = 5;

/**
 * Verifies a manifest offline and reports on some things in it.
 * @param subject an identifier or a name; undefined for the results, from which nothing else was made.
 * @throws ServiceError `not_found` if nothing in the manifest speaks of the subject.
 */
export async function reportOnManifest(
  ports: ManifestReporting,
  file: RandomAccess,
  form: ManifestForm,
  { source, subject }: { readonly source: ReportSource; readonly subject: string | undefined },
): Promise<Report> {
  const faults: Fault[] = [];
  const missing: string[] = [];
  const manifest = await indexManifest(ports, file, form, (finding: ManifestFinding) => {
    if (finding.kind === 'fault' && faults.length < listed) faults.push(finding);
    if (finding.kind === 'missing' && missing.length < listed) missing.push(finding.identifier);
  });
  const results = manifest.carrier ? await subjectsIn(manifest, subject) : { first: [], count: 0 };
  const gathered = await gather(
    {
      ...manifest,
      trusting: manifest.signatures.trusting,
      disputed: manifest.signatures.disputed,
      contents: async (ids) => await carriedContents(manifest, ids),
      names: async (ids) => await carriedNames(manifest, ids),
    },
    results.first,
    manifest.scope,
  );
  const { summary, signatures } = manifest;
  const otherSubjects = results.count - results.first.length;
  const trusted = { ...summary, knownDids: signatures.knownDids };
  const checks = checksOf(summary, faults, missing);
  const judgement = await judge(summary);
  const logged = new Map();
  return { ...gathered, madeAt: ports.now(), source, otherSubjects, checks, trusted, judgement, logged };
}

function checksOf(summary: ManifestSummary, faults: readonly Fault[], missing: readonly string[]): Checks {
  return {
    statements: summary.statements,
    unchecked: 0,
    blobs: summary.blobs,
    contexts: summary.contexts,
    unverifiedContexts: summary.unverifiedContexts,
    uncovered: summary.uncovered,
    faults: { count: summary.faults, first: faults },
    missing: { count: summary.missing, first: missing },
  };
}

async function subjectsIn(manifest: IndexedManifest, subject: string | undefined): Promise<Listed<string>> {
  if (subject === undefined) return await resultsIn(manifest.statementIndex, manifest.scope, mostSubjects);
  const first = await subjectsNamed(manifest, subject);
  if (first.length > 0) return { first, count: first.length };
  const message = `Nothing in the manifest has the identifier or the name "${subject.slice(0, 200)}".`;
  throw new ServiceError('not_found', message);
}
