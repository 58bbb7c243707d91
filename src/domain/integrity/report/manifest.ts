import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { ManifestForm } from '../manifest/carrier.ts';
import { type IndexedManifest, indexManifest } from '../manifest/indexed/indexed-manifest.ts';
import type { ManifestFinding, ManifestSummary } from '../manifest/summary.ts';
import type { ManifestVerification } from '../manifest/verify.ts';
import type { StatementPage } from '../ports.ts';
import { carriedContents, carriedNames, subjectsNamed } from './carried.ts';
import { gather } from './gather.ts';
import type { Checks, Fault, Listed, Report, ReportSource } from './report.ts';

export interface ManifestReporting extends ManifestVerification {
  readonly now: () => Date;
}

const listed = 100;
const mostSubjects = 5;
const page = 500;
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
  return { ...gathered, madeAt: ports.now(), source, otherSubjects, checks, trusted, logged: new Map() };
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
  if (subject === undefined) return await resultsIn(manifest);
  const first = await subjectsNamed(manifest, subject);
  if (first.length > 0) return { first, count: first.length };
  const message = `Nothing in the manifest has the identifier or the name "${subject.slice(0, 200)}".`;
  throw new ServiceError('not_found', message);
}

type Statements = Pick<IndexedManifest, 'statementIndex' | 'scope'>;

/** The outputs that no computation used. Without computations, what the manifest registers as data. */
async function resultsIn(manifest: Statements): Promise<Listed<string>> {
  const used = new DigestSet();
  for await (const identifier of endsIn(manifest, 'ComputationRegistration', ['input', 'computation']))
    used.add(blake3Digest(identifier));
  const outputs = await unused(endsIn(manifest, 'ComputationRegistration', ['output']), used);
  return outputs.count > 0 ? outputs : await unused(endsIn(manifest, 'DataRegistration', ['data']), used);
}

/** @param used gets the identifiers too, so that each is counted once. */
async function unused(identifiers: AsyncIterable<string>, used: DigestSet): Promise<Listed<string>> {
  const first: string[] = [];
  let count = 0;
  for await (const identifier of identifiers) {
    if (!used.add(blake3Digest(identifier))) continue;
    if (first.length < mostSubjects) first.push(identifier);
    count += 1;
  }
  return { first, count };
}

async function* endsIn({ statementIndex, scope }: Statements, kind: string, roles: readonly string[]) {
  const filter = { kind, subject: null, registeredBy: null, from: null, until: null };
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const found: StatementPage = await statementIndex.search(filter, { after, limit: page }, scope);
    for (const { references } of found.statements)
      for (const { identifier, role } of references) if (roles.includes(role)) yield identifier;
    after = found.next;
  }
}
