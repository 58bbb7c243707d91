import type { JsonObject } from '../../json/is-object.ts';
import { jcs } from '../identification/jcs.ts';
import type { KeyType } from '../identifiers/did-key.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
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

const ofRdfc: Suite['signed'] = async (identifier, document, { proofValue, ...options }) => {
  const signature = signatureIn(proofValue);
  const rdf = await rdfcTexts(identifier, document, options);
  return { data: hashed(rdf), signature, rdf };
};

const ofJcs: Suite['signed'] = async (_, document, { proofValue, ...options }) => ({
  signature: signatureIn(proofValue),
  data: jcsData(document, options),
});

function ofJws(algorithm: string): Suite['signed'] {
  return async (identifier, document, { jws, proofValue: _, ...options }) => {
    detachedJws(jws, algorithm, new Uint8Array());
    const rdf = await rdfcTexts(identifier, document, options);
    return { ...detachedJws(jws, algorithm, hashed(rdf)), rdf };
  };
}

/** By `cryptosuite` of a DataIntegrityProof. */
const cryptosuites: Readonly<Record<string, Omit<Suite, 'name'>>> = {
  'eddsa-rdfc-2022': { keyType: 'Ed25519', signed: ofRdfc },
  'eddsa-jcs-2022': { keyType: 'Ed25519', signed: ofJcs },
  'ecdsa-rdfc-2019': { keyType: 'P-256', signed: ofRdfc },
};

/** By `type`. */
const olderSuites: Readonly<Record<string, Omit<Suite, 'name'>>> = {
  Ed25519Signature2018: { keyType: 'Ed25519', signed: ofJws('EdDSA') },
  Ed25519Signature2020: { keyType: 'Ed25519', signed: ofRdfc },
  EcdsaSecp256k1Signature2019: { keyType: 'secp256k1', signed: ofJws('ES256K') },
  EcdsaSecp256r1Signature2019: { keyType: 'P-256', signed: ofJws('ES256') },
};

const suiteNames = [...Object.keys(cryptosuites), ...Object.keys(olderSuites)];

/** @throws ProofProblem `unknown` for suites that cannot be checked here. */
export function suiteOf({ type, cryptosuite }: JsonObject): Suite {
  const isDataIntegrity = type === 'DataIntegrityProof';
  const name = isDataIntegrity ? cryptosuite : type;
  const member = isDataIntegrity ? 'cryptosuite' : 'type';
  if (typeof name !== 'string') proofFails({ code: 'suite_not_named', member, value: shown(name) });
  const suites = isDataIntegrity ? cryptosuites : olderSuites;
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (!suite) cannotCheck({ code: 'suite_unknown', name: shown(name), known: suiteNames });
  return { name, ...suite };
}

/** Longer than any header and signature. */
const maxJws = 1_000;

/**
 * Reads a detached JWS whose payload is not encoded (RFC 7797), as the suites of 2018 and 2019 use it.
 * @param payload what the suite signs.
 * @throws ProofProblem
 */
function detachedJws(jws: unknown, algorithm: string, payload: Uint8Array): SignedData {
  const [, header, signature] =
    (typeof jws === 'string' && jws.length <= maxJws && /^([\w-]+)\.\.([\w-]+)$/.exec(jws)) || [];
  if (header === undefined || signature === undefined)
    proofFails({ code: 'not_detached_jws', value: shown(jws) });
  const { alg, b64, crit } = headerOf(header);
  if (alg !== algorithm) proofFails({ code: 'wrong_jws_algorithm', wanted: algorithm, value: shown(alg) });
  if (b64 !== false || JSON.stringify(crit) !== '["b64"]') proofFails({ code: 'wrong_jws_options' });
  return {
    data: Buffer.concat([Buffer.from(`${header}.`), payload]),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function headerOf(text: string): JsonObject {
  try {
    const header = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof header === 'object' && header !== null) return header;
  } catch {
    // It is refused below.
  }
  proofFails({ code: 'jws_header_unreadable' });
}

/**
 * What eddsa-jcs-2022 signs: SHA-256 of the proof options, then SHA-256 of the document, both in RFC 8785 form
 * (Data Integrity EdDSA Cryptosuites 1.0, 3.3.4).
 * @param options the proof without its signature.
 * @throws ProofProblem
 */
export function jcsData(document: JsonObject, options: JsonObject): Buffer {
  const { '@context': context } = options;
  const content = context === undefined ? document : { ...document, '@context': context };
  if (!startsWith(document['@context'], context)) proofFails({ code: 'context_differs' });
  try {
    return Buffer.concat([options, content].map((value) => sha256Digest(jcs(value))));
  } catch {
    proofFails({ code: 'no_jcs_form' });
  }
}

function startsWith(context: unknown, start: unknown): boolean {
  const [all, first] = [context, start].map((value) =>
    value === undefined ? [] : Array.isArray(value) ? value : [value],
  ) as [unknown[], unknown[]];
  return first.every((value, at) => at < all.length && jcs(value) === jcs(all[at]));
}
