import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import { reachEverything } from '../access/content-reach.ts';
import type { BlobHashRecord, BlobHashRecords } from '../blobs/blob-hashes.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import { noFolders } from '../folders/folders.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import { type ManifestForm, openCarrier } from '../manifest/carrier.ts';
import { ManifestSignatures } from '../manifest/signatures.ts';
import {
  type ManifestSummary,
  type ManifestVerification,
  type ManifestWitness,
  verifyManifest,
} from '../manifest/verify.ts';
import type { GraphStore, StatementPage, StatementScope, StatementStore } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { carriedContents, carriedNames, type IndexedManifest, subjectsNamed } from './carried.ts';
import { gather } from './gather.ts';
import type { Checks, Fault, Listed, Report, ReportSource } from './report.ts';

export interface ManifestReporting extends ManifestVerification {
  /** An empty store for the statements of the manifest. */
  readonly store: {
    readonly statements: Pick<StatementStore, 'putMany'>;
    readonly statementIndex: StatementIndex;
    readonly graphs: Pick<GraphStore, 'add'>;
    readonly sameBytes: SameBytes;
    readonly blobHashing: { readonly hashes: Pick<BlobHashRecords, 'insert'> };
  };
  readonly now: () => Date;
}

const listed = 100;
const mostSubjects = 5;
const page = 500;
const graphId = '00000000-0000-4000-8000-000000000000';
const scope: StatementScope = { graphId, visibility: everythingVisible };

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
  const { store } = ports;
  const signatures = new ManifestSignatures(ports.signatures);
  await store.graphs.add({ graphId, name: 'manifest', parentId: null, projectId: graphId });
  const known: BlobHashRecord[] = [];
  const keep = async () => void (await store.blobHashing.hashes.insert(known.splice(0)));
  const { summary, checks, damaged } = await verify(ports, file, form, {
    signatures,
    rows: async (rows) => void (await store.statements.putMany(rows, graphId)),
    hashes: async (record) => {
      if (known.push(record) >= page) await keep();
    },
  });
  await keep();
  const carrier = await openCarrier(file, form).catch(() => undefined);
  const proven = signatures.trusting.signatures;
  const manifest = carrier && { carrier, index: store.statementIndex, scope, damaged, signatures: proven };
  const results = manifest ? await subjectsIn(manifest, subject) : { first: [], count: 0 };
  const gathered = await gather(
    {
      statementIndex: store.statementIndex,
      blobs: { size: async () => undefined },
      reach: reachEverything,
      sameBytes: store.sameBytes,
      folders: noFolders,
      trusting: signatures.trusting,
      contents: async (ids) => (manifest ? await carriedContents(manifest, ids) : new Map()),
      names: async (ids) => (manifest ? await carriedNames(manifest, ids) : new Map()),
    },
    results.first,
    scope,
  );
  const otherSubjects = results.count - results.first.length;
  const trusted = { ...summary, knownDids: signatures.knownDids };
  return { ...gathered, madeAt: ports.now(), source, otherSubjects, checks, trusted, logged: new Map() };
}

async function verify(
  ports: ManifestVerification,
  file: RandomAccess,
  form: ManifestForm,
  witness: ManifestWitness,
) {
  const damaged = new Set<string>();
  const faults: Fault[] = [];
  const missing: string[] = [];
  const findings = verifyManifest(ports, file, form, witness);
  let next = await findings.next();
  for (; !next.done; next = await findings.next()) {
    const finding = next.value;
    if (finding.kind === 'fault') {
      damaged.add(finding.place);
      if (faults.length < listed) faults.push(finding);
    }
    if (finding.kind === 'missing' && missing.length < listed) missing.push(finding.identifier);
  }
  return { summary: next.value, checks: checksOf(next.value, faults, missing), damaged };
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
  if (subject === undefined) return await resultsIn(manifest.index);
  const first = await subjectsNamed(manifest, subject);
  if (first.length > 0) return { first, count: first.length };
  const message = `Nothing in the manifest has the identifier or the name "${subject.slice(0, 200)}".`;
  throw new ServiceError('not_found', message);
}

/** The outputs that no computation used. Without computations, what the manifest registers as data. */
async function resultsIn(index: IndexedManifest['index']): Promise<Listed<string>> {
  const used = new DigestSet();
  for await (const identifier of endsIn(index, 'ComputationRegistration', ['input', 'computation']))
    used.add(blake3Digest(identifier));
  const outputs = await unused(endsIn(index, 'ComputationRegistration', ['output']), used);
  return outputs.count > 0 ? outputs : await unused(endsIn(index, 'DataRegistration', ['data']), used);
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

async function* endsIn(index: IndexedManifest['index'], kind: string, roles: readonly string[]) {
  const filter = { kind, subject: null, registeredBy: null, from: null, until: null };
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const found: StatementPage = await index.search(filter, { after, limit: page }, scope);
    for (const { references } of found.statements)
      for (const { identifier, role } of references) if (roles.includes(role)) yield identifier;
    after = found.next;
  }
}
