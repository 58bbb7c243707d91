import { standingsById } from '../domain/integrity/credentials/status.ts';
import { statusEntries } from '../domain/integrity/credentials/status-entries.ts';
import type { Identifier } from '../domain/integrity/ports.ts';
import type { SignatureVerifying } from '../domain/integrity/signatures/check.ts';
import { signatures } from '../domain/integrity/signatures/signatures.ts';
import { type TrustPorts, type TrustReader, trustIn } from '../domain/integrity/signatures/trust.ts';
import type { Signer } from '../domain/integrity/signer.ts';
import type { Store } from '../storage/open.ts';

interface SignatureParts {
  readonly identifier: Identifier;
  readonly signer: Signer;
}

/** What checks the signatures of statements, and what knows the trust in statements. */
export function signaturePorts(store: Store, { identifier, signer }: SignatureParts) {
  const now = () => new Date();
  const records = store.of(signatures);
  const verifying: SignatureVerifying = {
    identifier,
    ownKeys: signer.keys,
    dsse: () => ({ result: 'unknown', signer: null }),
    sigstore: async () => ({ result: 'unknown', signer: null }),
    now,
  };
  const trusting: TrustPorts = {
    signatures: records,
    standings: (ids) => standingsById(store.of(statusEntries), ids),
    ownDids: new Set(signer.keys.map(({ did }) => did)),
    now,
  };
  const trust: TrustReader = (claims) => trustIn(trusting, claims);
  return {
    signatures: records,
    verifying,
    statementVerifying: { ...trusting, signatures: records, verifying },
    trust,
  };
}
