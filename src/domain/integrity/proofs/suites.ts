import type { JsonObject } from '../../json/is-object.ts';
import type { KeyType } from '../identifiers/did-key.ts';
import { jcsData } from './jcs-suite.ts';
import { detachedJws } from './jws-suite.ts';
import { signatureIn } from './keys.ts';
import { type Canonicalizer, cannotCheck, proofFails, type SignedData, shown } from './proof.ts';
import { hashed, type RdfcTexts, rdfcTexts } from './rdfc.ts';

export interface Suite {
  readonly name: string;
  readonly keyType: KeyType;
  /** @returns `rdf`: what is signed, unless it is the exact JSON. @throws ProofProblem, ServiceError. */
  signed(
    identifier: Canonicalizer,
    document: JsonObject,
    proof: JsonObject,
  ): Promise<SignedData & { readonly rdf?: RdfcTexts }>;
}

const rdfc: Suite['signed'] = async (identifier, document, { proofValue, ...options }) => {
  const signature = signatureIn(proofValue);
  const rdf = await rdfcTexts(identifier, document, options);
  return { data: hashed(rdf), signature, rdf };
};

const jcs: Suite['signed'] = async (_, document, { proofValue, ...options }) => ({
  signature: signatureIn(proofValue),
  data: jcsData(document, options),
});

function jws(algorithm: string): Suite['signed'] {
  return async (identifier, document, { jws, proofValue: _, ...options }) => {
    detachedJws(jws, algorithm, new Uint8Array());
    const rdf = await rdfcTexts(identifier, document, options);
    return { ...detachedJws(jws, algorithm, hashed(rdf)), rdf };
  };
}

/** By `cryptosuite` of a DataIntegrityProof. */
const cryptosuites: Readonly<Record<string, Omit<Suite, 'name'>>> = {
  'eddsa-rdfc-2022': { keyType: 'Ed25519', signed: rdfc },
  'eddsa-jcs-2022': { keyType: 'Ed25519', signed: jcs },
  'ecdsa-rdfc-2019': { keyType: 'P-256', signed: rdfc },
};

/** By `type`. */
const olderSuites: Readonly<Record<string, Omit<Suite, 'name'>>> = {
  Ed25519Signature2018: { keyType: 'Ed25519', signed: jws('EdDSA') },
  Ed25519Signature2020: { keyType: 'Ed25519', signed: rdfc },
  EcdsaSecp256k1Signature2019: { keyType: 'secp256k1', signed: jws('ES256K') },
  EcdsaSecp256r1Signature2019: { keyType: 'P-256', signed: jws('ES256') },
};

const suiteNames = [...Object.keys(cryptosuites), ...Object.keys(olderSuites)];

/** @throws ProofProblem `unknown` for suites that cannot be checked here. */
export function suiteOf({ type, cryptosuite }: JsonObject): Suite {
  const isDataIntegrity = type === 'DataIntegrityProof';
  const name = isDataIntegrity ? cryptosuite : type;
  if (typeof name !== 'string')
    proofFails({
      code: 'suite_not_named',
      member: isDataIntegrity ? 'cryptosuite' : 'type',
      value: shown(name),
    });
  const suites = isDataIntegrity ? cryptosuites : olderSuites;
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (!suite) cannotCheck({ code: 'suite_unknown', name: shown(name), known: suiteNames });
  return { name, ...suite };
}
