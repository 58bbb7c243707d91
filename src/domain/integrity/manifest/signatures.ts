import type { IdentifiedRow } from '../ports.ts';
import { checkSignatures, type SignatureVerifying } from '../signatures/check.ts';
import { credentialCidOf, type Signature } from '../signatures/signatures.ts';
import {
  type Claim,
  type CredentialStanding,
  type Trust,
  type TrustPorts,
  trustIn,
} from '../signatures/trust.ts';
import type { ManifestFile } from './file.ts';

export interface ManifestSignatureChecking extends SignatureVerifying {
  /** Whether a credential is revoked or suspended, as far as known offline. */
  readonly standing: (
    credential: Readonly<Record<string, unknown>>,
  ) => Promise<CredentialStanding | undefined>;
}

const claimsAtOnce = 500;

/** Collects the signatures of a manifest. Memory grows with their number. */
export class ManifestSignatures {
  readonly #ports: ManifestSignatureChecking;
  readonly #found = new Map<string, Signature[]>();
  readonly #standings = new Map<string, CredentialStanding>();

  constructor(ports: ManifestSignatureChecking) {
    this.#ports = ports;
  }

  async note(rows: readonly IdentifiedRow[]): Promise<void> {
    const signed = rows.filter(({ isSigned }) => isSigned);
    for (const signature of await checkSignatures(this.#ports, signed)) {
      const others = this.#found.getOrInsertComputed(signature.about, () => []);
      others.push(signature);
    }
    for (const { jcs } of signed) {
      const { credential } = JSON.parse(Buffer.from(jcs).toString());
      if (typeof credential?.id !== 'string') continue;
      const standing = await this.#ports.standing(credential);
      if (standing) this.#standings.set(credentialCidOf(credential), standing);
    }
  }

  /** The trust in each statement of the manifest that is more than a claim, by id. */
  async *trusts({ json, statements }: ManifestFile): AsyncGenerator<readonly [string, Trust]> {
    if (this.#found.size === 0) return;
    let claims: Claim[] = [];
    for await (const { key, ...slice } of json.members(statements)) {
      if (!this.#found.has(key)) continue;
      const { registeredBy } = JSON.parse((await json.bytes(slice)).toString());
      claims.push({ id: key, registeredBy: typeof registeredBy === 'string' ? registeredBy : undefined });
      if (claims.length < claimsAtOnce) continue;
      yield* await this.#trustIn(claims);
      claims = [];
    }
    yield* await this.#trustIn(claims);
  }

  /** The signatures of the noted statements, as trust is read from them. */
  get trusting(): TrustPorts {
    return {
      signatures: { among: async (_index, ids) => ids.map((id) => this.#found.get(String(id)) ?? []) },
      standings: async () => this.#standings,
      ownDids: new Set<string>(),
      now: this.#ports.now,
    };
  }

  async #trustIn(claims: readonly Claim[]): Promise<(readonly [string, Trust])[]> {
    const trusts = await trustIn(this.trusting, claims);
    return [...trusts].filter(([, { state }]) => state !== 'claimed');
  }
}
