import { everythingVisible } from '../domain/access/visibility.ts';
import { blobHashes } from '../domain/integrity/blobs/blob-hashes.ts';
import { credentials } from '../domain/integrity/credentials/credential-records.ts';
import { statusEntries } from '../domain/integrity/credentials/status-entries.ts';
import { parseCid } from '../domain/integrity/identifiers/cid.ts';
import type { Identifier } from '../domain/integrity/ports.ts';
import { didWebOf } from '../domain/integrity/proofs/did-web.ts';
import { type DsseKeys, verifyDsse } from '../domain/integrity/proofs/dsse.ts';
import { type SigstoreVerifier, sigstoreWithoutRoot } from '../domain/integrity/proofs/sigstore.ts';
import { retractions } from '../domain/integrity/retractions/retraction-records.ts';
import { checkBundle } from '../domain/integrity/signatures/bundle.ts';
import type { SignatureVerifying } from '../domain/integrity/signatures/check.ts';
import { proofsIn } from '../domain/integrity/signatures/proven.ts';
import { signatures } from '../domain/integrity/signatures/signatures.ts';
import { signatureStandings } from '../domain/integrity/signatures/standings.ts';
import {
  type RetractedReader,
  retractedAmong,
  type TrustPorts,
  type TrustReader,
  trustIn,
} from '../domain/integrity/signatures/trust.ts';
import type { Signer } from '../domain/integrity/signer.ts';
import { readDsseKeys } from '../platform/dsse-keys-file.ts';
import { publicUrlOf, type Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

interface SignatureParts {
  readonly identifier: Identifier;
  readonly signer: Signer;
}

type SignatureSettings = Pick<
  Settings,
  'dsseKeysFile' | 'sigstoreTrustedRoot' | 'publicUrl' | 'host' | 'port'
>;

/** What checks the signatures of statements, and what knows the trust in statements. @throws ServiceError. */
export async function openSignatures(
  store: Store,
  { identifier, signer }: SignatureParts,
  settings: SignatureSettings,
) {
  const now = () => new Date();
  const records = { signatures: store.of(signatures), retractions: store.of(retractions) };
  const keys = await readDsseKeys(settings.dsseKeysFile);
  const sigstore = await sigstoreOf(settings.sigstoreTrustedRoot, keys);
  const ownDidWeb = didWebOf(publicUrlOf(settings));
  const verifying: SignatureVerifying = {
    identifier,
    ownKeys: signer.keys,
    ownDidWeb,
    dsse: (envelope) => verifyDsse(envelope, keys),
    sigstore: (bundle, subject) =>
      checkBundle(
        { sigstore, dsseKeys: keys, blobs: store.blobs, hashes: store.of(blobHashes) },
        bundle,
        subject,
      ),
    now,
  };
  const ownDids = new Set([...signer.keys.map(({ did }) => did), ...(ownDidWeb === null ? [] : [ownDidWeb])]);
  const standing = {
    statusEntries: store.of(statusEntries),
    credentials: store.of(credentials),
    statements: store.statements,
    ownDids,
  };
  const trusting: TrustPorts = {
    ...records,
    standings: (signed) => signatureStandings(standing, signed),
    async registrarOf(id) {
      const statement = await store.statements.byRdfcCid(parseCid(id), everythingVisible);
      return statement ? await store.statements.registrarOf(statement.jcsCid) : null;
    },
    proofsIn: (id) => proofsIn({ ...records, statements: store.statements }, id),
    ownDids,
    now,
  };
  const trust: TrustReader = (claims) => trustIn(trusting, claims);
  const retracted: RetractedReader = (claims) => retractedAmong(trusting, claims);
  return {
    ...records,
    ownDids,
    verifying,
    statementVerifying: { ...trusting, ...records, verifying },
    trust,
    retracted,
  };
}

async function sigstoreOf(trustedRoot: string | null, keys: DsseKeys): Promise<SigstoreVerifier> {
  if (trustedRoot === null && keys.size === 0) return sigstoreWithoutRoot;
  // Imported here, because the libraries take time to load.
  const { openSigstoreVerifier } = await import('../platform/sigstore-verifier.ts');
  return await openSigstoreVerifier(trustedRoot, keys);
}
