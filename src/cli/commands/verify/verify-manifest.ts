import { StatementPool } from '../../../../workers/statement-pool.ts';
import { ContextRegistry } from '../../../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../../domain/integrity/contexts/world.ts';
import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { type ManifestForm, openCarrier } from '../../../domain/integrity/manifest/carrier.ts';
import {
  type CarriedContents,
  type ManifestSignatureChecking,
  ManifestSignatures,
} from '../../../domain/integrity/manifest/signatures.ts';
import {
  type ManifestFinding,
  type ManifestSummary,
  verifyManifest,
} from '../../../domain/integrity/manifest/verify.ts';
import type { ContextSource, StatementRow } from '../../../domain/integrity/ports.ts';
import { verifyDsse } from '../../../domain/integrity/proofs/dsse.ts';
import { type Canonicalizer, failedCheck } from '../../../domain/integrity/proofs/proof.ts';
import { checkBundle } from '../../../domain/integrity/signatures/bundle.ts';
import type { RandomAccess } from '../../../domain/json/random-access.ts';
import { openRandomAccess } from '../../client/local-files.ts';
import { type LogOptions, logTrust } from '../../client/log-trust.ts';
import { statementLimit } from './file-form.ts';
import { type KnownSigners, knownSigners, nobody, type SignerOptions } from './known-signers.ts';
import { listIn, type StatusOptions } from './verify-credential.ts';

/** Whom the reader trusts, and what they know about the status of credentials. */
export type ManifestTrustOptions = StatusOptions & SignerOptions & LogOptions;

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows. */
export const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/** A manifest in a file. */
export interface CarriedFile {
  readonly path: string;
  readonly form: ManifestForm;
}

/** Verifies a manifest file offline. @param onRead called with the number of bytes read so far. */
export async function* verifyManifestFile(
  { path, form }: CarriedFile,
  sources: readonly ContextSource[],
  trust: ManifestTrustOptions,
  onRead: (bytes: number) => void,
): AsyncGenerator<ManifestFinding, ManifestSummary> {
  await using opened = await openManifestVerification(path, sources, trust, onRead);
  return yield* verifyManifest(opened.ports, openCarrier(opened.file, form));
}

/** Verifies a manifest file, and tells which statements it has. */
export async function verifiedContent(
  { path, form }: CarriedFile,
  sources: readonly ContextSource[],
  trust: ManifestTrustOptions,
) {
  await using opened = await openManifestVerification(path, sources, trust, () => {});
  const ids = new Set<string>();
  const rows = async (some: readonly StatementRow[]) => {
    for (const { rdfcCid } of some) ids.add(cidUrn(rdfcCid));
  };
  const signatures = new ManifestSignatures(opened.ports.signatures);
  const findings = verifyManifest(opened.ports, openCarrier(opened.file, form), {
    signatures,
    rows,
    blobs: null,
  });
  const faults: Extract<ManifestFinding, { kind: 'fault' }>[] = [];
  let next = await findings.next();
  for (; !next.done; next = await findings.next()) if (next.value.kind === 'fault') faults.push(next.value);
  return { ids, summary: next.value, faults };
}

/**
 * Opens a manifest file and what verifies it offline, on several threads.
 * @param onRead called with the number of bytes read so far; some are read more than once.
 */
export async function openManifestVerification(
  path: string,
  sources: readonly ContextSource[],
  trust: ManifestTrustOptions,
  onRead: (bytes: number) => void,
  now = () => new Date(),
) {
  await using opened = new AsyncDisposableStack();
  const registry = new ContextRegistry(ContextWorld.bundled(), sources);
  const limits = { maxDepth, documentMs, requestMs, waitMs: requestMs };
  const identifier = opened.use(new StatementPool({ registry, ...limits }));
  const file = counted(opened.use(await openRandomAccess(path)), onRead);
  const signatures = await offlineSignatures(identifier, trust, await knownSigners(trust), now);
  const logs = await logTrust(trust);
  const ports = { identifier, registry, maxStatementBytes: statementLimit, signatures, logs };
  const stack = opened.move();
  return { ports, file, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function counted(file: RandomAccess, onRead: (bytes: number) => void): RandomAccess {
  let read = 0;
  return {
    size: file.size,
    async read(offset, length) {
      const bytes = await file.read(offset, length);
      read += bytes.length;
      onRead(read);
      return bytes;
    },
  };
}

/** Nobody is trusted to vouch for identities. */
const sigstore = { verify: async () => failedCheck({ code: 'only_with_trusted_root' }, 'unknown') } as const;
const noContents: CarriedContents = {
  blobs: { size: async () => undefined, read: async () => undefined },
  hashes: { among: async () => [] },
};

/** Checks signatures without a service: keys from did:key and the given ones, status from the given lists. */
export async function offlineSignatures(
  identifier: Canonicalizer,
  { statusList, statusIssuer }: StatusOptions,
  { dids, methods, names }: KnownSigners = nobody,
  now = () => new Date(),
): Promise<ManifestSignatureChecking> {
  const lists = await Promise.all(statusList.map(listIn));
  const ports = { identifier, ownKeys: [], givenKeys: methods, now };
  const sigstoreWith: ManifestSignatureChecking['sigstoreWith'] = (contents) => (bundle, subject) =>
    checkBundle({ ...contents, sigstore, dsseKeys: names }, bundle, subject);
  return {
    ...ports,
    dsse: (envelope) => verifyDsse(envelope, names),
    sigstore: sigstoreWith(noContents),
    sigstoreWith,
    statusCheck: listStatusCheck({ ...ports, lists, listIssuers: statusIssuer }),
    knownDids: dids,
  };
}
