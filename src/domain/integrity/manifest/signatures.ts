import { isObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import type { Credential } from '../credentials/credential-records.ts';
import { listOf } from '../credentials/credential-shape.ts';
import type { CredentialVerification } from '../credentials/verify-credential.ts';
import { type Cid, cidIn, cidUrn, codecs, digestHex, makeCid } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { IdentifiedRow } from '../ports.ts';
import type { Check } from '../proofs/reasons.ts';
import { CarriedRetractions, type ClaimedRetraction } from '../retractions/carried.ts';
import { checkDocument, checkSignatures, type SignatureVerifying } from '../signatures/check.ts';
import type { BundleChecking } from '../signatures/model-bundle.ts';
import { registrantOf } from '../signatures/proven.ts';
import { checkOf, type Signature, signatureId } from '../signatures/signatures.ts';
import { type Claim, claimed, type Trust, type TrustPorts, trustIn } from '../signatures/trust.ts';
import { type CredentialCounts, CredentialStandings } from './credential-standings.ts';

export interface ManifestSignatureChecking
  extends SignatureVerifying,
    Pick<CredentialVerification, 'statusCheck'> {
  /** Whom the reader trusts; empty if they have not said. */
  readonly knownDids: ReadonlySet<string>;
  /** As `sigstore`, with the contents of the manifest. */
  readonly sigstoreWith: (contents: CarriedContents) => SignatureVerifying['sigstore'];
}

/** The intact blobs of a manifest, with the hashes of their bytes. */
export type CarriedContents = Pick<BundleChecking, 'blobs' | 'hashes'>;

/** A signed credential that is content of a manifest, such as a compliance certificate. */
export interface CarriedCredential {
  readonly cid: Cid;
  readonly credentialId: string | null;
  readonly signature: Check;
  readonly trust: Trust;
}

/** What a GovernanceRegistration says about a document. */
interface Registration {
  readonly statement: string;
  readonly carrier: string;
  readonly registrant: string | undefined;
  readonly subject: string | undefined;
  readonly time: number | null;
}

const claimsAtOnce = 500;
/** As large as credentials may be. */
export const credentialLimit = 1 << 20;
const maxDepth = 256;
/** Of statements that wait for contents. The signatures of others stay unknown. */
const waitingLimit = 64 << 20;
const credentialWord = Buffer.from('VerifiableCredential');

/** Collects the signatures of a manifest. Memory grows with their number. */
export class ManifestSignatures {
  readonly #ports: ManifestSignatureChecking;
  readonly #found = new Map<string, Signature[]>();
  readonly #standings: CredentialStandings;
  /** By the digest of the document. */
  readonly #registrations = new Map<string, Registration[]>();
  readonly #retractions = new CarriedRetractions();
  /** Statements whose signatures are about contents, which come after statements. */
  readonly #waiting: IdentifiedRow[] = [];
  #waitingBytes = 0;
  readonly #credentials: { signature: Signature; cid: Cid }[] = [];
  readonly #statements = new DigestSet();
  /** Of the statements, in their order. */
  readonly #registrants: (string | undefined)[] = [];
  /** Each as one text, because those in rows hold the texts of their rows. */
  readonly #registrantTexts = new Map<string, string>();

  constructor(ports: ManifestSignatureChecking) {
    this.#ports = ports;
    this.#standings = new CredentialStandings(ports);
  }

  async note(rows: readonly IdentifiedRow[]): Promise<void> {
    for (const row of rows) {
      this.#noteRegistration(row);
      const registrant = registrantOf(row);
      this.#statements.add(row.rdfcCid.digest);
      this.#registrants.push(registrant && this.#registrantTexts.getOrInsert(registrant, registrant));
    }
    this.#retractions.note(rows);
    const signed = rows.filter(({ isSigned }) => isSigned);
    const found = Map.groupBy(await checkSignatures(this.#ports, signed), ({ carrier }) => carrier);
    for (const row of signed) {
      const own = found.get(row.jcsCid.text) ?? [];
      const waits = own.some(({ why }) => why?.code === 'subject_not_stored');
      if (!waits || !this.#keepWaiting(row)) await this.#noteSigned(row, own);
    }
  }

  /** Whether a statement waits for the contents of the manifest. */
  get awaitsContents(): boolean {
    return this.#waiting.length > 0;
  }

  /** Checks what has waited for the contents. They are all known now. */
  async noteContents(contents: CarriedContents): Promise<void> {
    const ports = { ...this.#ports, sigstore: this.#ports.sigstoreWith(contents) };
    for (const row of this.#waiting.splice(0))
      await this.#noteSigned(row, await checkSignatures(ports, [row]));
  }

  /** Checks content that is a signed credential. Statements are noted before. */
  async noteContent(cid: Cid, bytes: Uint8Array): Promise<void> {
    const credential = signedCredentialIn(bytes);
    if (!credential) return;
    const [signature, ...others] = await checkDocument(this.#ports, credential, cid);
    this.#credentials.push({ signature, cid });
    await this.#standings.note(signature, credential);
    if (signature.result !== 'ok') return;
    const subjects = new Set(others.map(({ about }) => about));
    // Then the credential says all that the statement says.
    for (const { statement, carrier, registrant, subject, time } of this.#registrations.get(digestHex(cid)) ??
      [])
      if (registrant === signature.signer && subjects.has(String(subject)) && time === signature.validFrom)
        this.#add({ ...signature, id: signatureId(carrier, statement), carrier, about: statement });
  }

  /** The trust in each noted statement by id. Claims are left out if the reader has not said whom they trust. */
  async *trusts(): AsyncGenerator<readonly [string, Trust]> {
    const isAsked = this.knownDids.size > 0;
    if (this.#found.size === 0 && this.#retractions.isEmpty && !isAsked) return;
    let claims: Claim[] = [];
    const registrants = this.#registrants.values();
    for (const digest of this.#statements) {
      const id = cidUrn(makeCid(codecs.rdfc, digest));
      const registeredBy = registrants.next().value;
      if (!this.#found.has(id) && !this.#retractions.has(id)) {
        if (isAsked) yield [id, claimed];
        continue;
      }
      claims.push({ id, registeredBy });
      if (claims.length < claimsAtOnce) continue;
      yield* await this.#trustIn(claims);
      claims = [];
    }
    yield* await this.#trustIn(claims);
  }

  /** The credentials among the contents. */
  async *credentials(): AsyncGenerator<CarriedCredential> {
    for (const { signature, cid } of this.#credentials) {
      const { credentialId } = signature;
      const claim = { id: signature.about, registeredBy: undefined };
      const ports = { ...this.trusting, signatures: { among: async () => [[signature]] } };
      const trust = (await trustIn(ports, [claim])).get(claim.id) ?? claimed;
      yield { cid, credentialId, signature: checkOf(signature), trust };
    }
  }

  /** The retractions that do not count here, once the trust in all statements was read. */
  get claimedRetractions(): readonly ClaimedRetraction[] {
    return this.#retractions.claimed;
  }

  /** The statements that they would withdraw. */
  get disputed(): ReadonlySet<string> {
    return new Set(this.claimedRetractions.map(({ subject }) => subject));
  }

  /** Numbers of credentials in statements and contents, by their standing. */
  get counts(): CredentialCounts {
    return this.#standings.counts;
  }

  get knownDids(): ReadonlySet<string> {
    return this.#ports.knownDids;
  }

  /** The signatures of the noted statements, as trust is read from them. */
  get trusting(): TrustPorts {
    return {
      signatures: { among: async (_index, ids) => ids.map((id) => this.#found.get(String(id)) ?? []) },
      retractions: this.#retractions,
      registrarOf: async () => null,
      proofsIn: async (id) => (this.#found.get(id) ?? []).filter(({ kind }) => kind === 'proof'),
      standings: async (signatures) =>
        new Map(
          signatures.flatMap((signature) => {
            const standing = this.#standings.of(signature);
            return standing ? [[String(signature.credentialCid), standing] as const] : [];
          }),
        ),
      ownDids: new Set<string>(),
      knownDids: this.#ports.knownDids,
      now: this.#ports.now,
    };
  }

  #keepWaiting(row: IdentifiedRow): boolean {
    this.#waitingBytes += row.jcs.length;
    if (this.#waitingBytes > waitingLimit) return false;
    // A copy, because the bytes are a part of those of many rows.
    this.#waiting.push({ ...row, jcs: new Uint8Array(row.jcs) });
    return true;
  }

  async #noteSigned(row: IdentifiedRow, found: readonly Signature[]): Promise<void> {
    for (const signature of found) {
      this.#add(signature);
      if (signature.kind !== 'credential' || signature.about !== cidUrn(row.rdfcCid)) continue;
      const { credential } = JSON.parse(Buffer.from(row.jcs).toString());
      if (isObject(credential)) await this.#standings.note(signature, credential);
    }
  }

  #add(signature: Signature): void {
    this.#found.getOrInsertComputed(signature.about, () => []).push(signature);
  }

  #noteRegistration({ kind, references, rdfcCid, jcsCid, time }: IdentifiedRow): void {
    if (kind !== 'GovernanceRegistration') return;
    const at = (wanted: string) => references.find(({ role }) => role === wanted)?.identifier;
    const document = cidIn(at('document') ?? '');
    if (!document) return;
    const statement = cidUrn(rdfcCid);
    const [registrant, subject, carrier] = [at('registeredBy'), at('subject'), jcsCid.text];
    const named = { statement, carrier, registrant, subject, time };
    this.#registrations.getOrInsertComputed(digestHex(document), () => []).push(named);
  }

  async #trustIn(claims: readonly Claim[]): Promise<(readonly [string, Trust])[]> {
    const trusts = await trustIn(this.trusting, claims);
    for (const [id, { state }] of trusts) if (state === 'retracted') this.#retractions.noteProven(id);
    return [...trusts].filter(([, { state }]) => state !== 'claimed' || this.knownDids.size > 0);
  }
}

function signedCredentialIn(bytes: Uint8Array): Credential | undefined {
  if (bytes.length > credentialLimit || !Buffer.from(bytes).includes(credentialWord)) return undefined;
  try {
    const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
    const isSigned = isObject(value) && listOf(value.type).includes('VerifiableCredential');
    return isSigned && value.proof !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
