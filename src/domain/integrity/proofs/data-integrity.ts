import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { credentialsV2 } from '../contexts/credentials.ts';
import { base58Text } from '../identifiers/base58.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { Identifier } from '../ports.ts';
import type { Signer } from '../signer.ts';
import { verificationMethodOf } from './keys.ts';
import type { DataIntegrityProof } from './proof.ts';
import { rdfcDataToSign } from './rdfc.ts';
import { jcsData } from './suites.ts';

export interface ProofPorts {
  readonly identifier: Pick<Identifier, 'canonicalDigests'>;
  readonly signer: Pick<Signer, 'did' | 'keys' | 'sign'>;
}

export interface ProofOptions {
  readonly created: Date;
  /** Default: `eddsa-rdfc-2022`, or `ecdsa-rdfc-2019` if the active key is on P-256. */
  readonly cryptosuite?: 'eddsa-rdfc-2022' | 'eddsa-jcs-2022';
}

const dataIntegrityContext = 'https://w3id.org/security/data-integrity/v2';
/** Contexts that define the terms of a proof. */
const proofContexts = new Set<unknown>([credentialsV2, dataIntegrityContext]);

/**
 * Signs a JSON-LD document with the active key (W3C Data Integrity 1.0, 4.2). Adds the context of proofs, if it is missing.
 * @throws ServiceError `invalid_request` if the document has a proof or the key cannot be used with the suite;
 * `not_covered` if the document has members that the signature would not cover.
 */
export async function addProof<Document extends object>(
  ports: ProofPorts,
  document: Document,
  options: ProofOptions,
): Promise<Document & { proof: DataIntegrityProof }> {
  const [signed] = await addProofs(ports, [document], options);
  return signed as Document & { proof: DataIntegrityProof };
}

/** As `addProof`, for many small documents. */
export async function addProofs<Document extends object>(
  { identifier, signer }: ProofPorts,
  documents: readonly Document[],
  { created, cryptosuite }: ProofOptions,
): Promise<(Document & { proof: DataIntegrityProof })[]> {
  if (documents.some((document) => 'proof' in document)) fail('The document already has a proof.');
  const isEd25519 = signer.keys[0]?.jwk.crv === 'Ed25519';
  if (cryptosuite && !isEd25519) fail(`The active key is not an Ed25519 key, which ${cryptosuite} needs.`);
  const contents = documents.map((document) => withProofContext(document as unknown as JsonObject));
  const options = {
    type: 'DataIntegrityProof' as const,
    cryptosuite: cryptosuite ?? (isEd25519 ? 'eddsa-rdfc-2022' : 'ecdsa-rdfc-2019'),
    created: statementTime(created),
    verificationMethod: verificationMethodOf(signer.did),
    proofPurpose: 'assertionMethod' as const,
  };
  const isJcs = cryptosuite === 'eddsa-jcs-2022';
  const proofs = contents.map((one) => (isJcs ? { ...options, '@context': one['@context'] } : options));
  const data = isJcs
    ? contents.map((content, at) => jcsData(content, proofs[at] ?? options))
    : await rdfcDataToSign(identifier, contents, options);
  const signatures = await Promise.all(data.map((bytes) => signer.sign(bytes)));
  return contents.map((content, at) => {
    const proof = { ...proofs[at], proofValue: base58Text(signatures[at] ?? new Uint8Array()) };
    return { ...content, proof } as unknown as Document & { proof: DataIntegrityProof };
  });
}

function withProofContext(document: JsonObject): JsonObject {
  const { '@context': context = [] } = document;
  const contexts = Array.isArray(context) ? context : [context];
  if (contexts.some((one) => proofContexts.has(one))) return document;
  return { ...document, '@context': [...contexts, dataIntegrityContext] };
}

function fail(reason: string): never {
  throw new ServiceError('invalid_request', reason);
}
