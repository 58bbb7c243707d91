import { StatementPool } from '../../../../workers/statement-pool.ts';
import { ContextRegistry } from '../../../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../../domain/integrity/contexts/world.ts';
import type { ManifestForm } from '../../../domain/integrity/manifest/carrier.ts';
import {
  type ManifestFinding,
  type ManifestSummary,
  verifyManifest,
} from '../../../domain/integrity/manifest/verify.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import type { RandomAccess } from '../../../domain/json/random-access.ts';
import { openRandomAccess } from '../../client/local-files.ts';
import { statementLimit } from './file-form.ts';
import { knownSigners, type SignerOptions } from './known-signers.ts';
import { offlineSignatures } from './offline-signatures.ts';
import type { StatusOptions } from './verify-credential.ts';

/** Whom the reader trusts, and what they know about the status of credentials. */
export type ManifestTrustOptions = StatusOptions & SignerOptions;

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/** Verifies a manifest file offline. @param onRead called with the number of bytes read so far. */
export async function* verifyManifestFile(
  path: string,
  form: ManifestForm,
  sources: readonly ContextSource[],
  trust: ManifestTrustOptions,
  onRead: (bytes: number) => void,
): AsyncGenerator<ManifestFinding, ManifestSummary> {
  await using opened = await openManifestVerification(path, sources, trust, onRead);
  return yield* verifyManifest(opened.ports, opened.file, form);
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
) {
  await using opened = new AsyncDisposableStack();
  const registry = new ContextRegistry(ContextWorld.bundled(), sources);
  const identifier = opened.use(
    new StatementPool({ registry, maxDepth, documentMs, requestMs, waitMs: requestMs }),
  );
  const file = counted(opened.use(await openRandomAccess(path)), onRead);
  const signatures = await offlineSignatures(identifier, trust, await knownSigners(trust));
  const ports = { identifier, registry, maxStatementBytes: statementLimit, signatures };
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
