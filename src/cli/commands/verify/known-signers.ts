import { extname, join } from 'node:path';
import { sentenceOfError } from '../../../contract/sentences.ts';
import { isDid } from '../../../domain/integrity/identifiers/identifiers.ts';
import { keyOfDid } from '../../../domain/integrity/proofs/keys.ts';
import { isObject, type JsonObject } from '../../../domain/json/is-object.ts';
import { readJsonFile } from '../../../platform/json-file.ts';
import { type Jwk, publicKeyOf } from '../../../platform/jwk.ts';
import { fileNames, pathKind } from '../../client/local-files.ts';
import { failUsage } from '../../terminal/failure.ts';

/** Whom the user trusts, and the keys that they have given. */
export interface KnownSigners {
  readonly dids: ReadonlySet<string>;
  /** Keys as did:key, by their verification method. */
  readonly methods: ReadonlyMap<string, string>;
  /** Keys as did:key, by their `kid` or verification method. */
  readonly names: ReadonlyMap<string, string>;
}

export interface SignerOptions {
  /** DIDs. */
  readonly signer: readonly string[];
  /** Folders with keys. */
  readonly keys: readonly string[];
}

export const nobody: KnownSigners = { dids: new Set(), methods: new Map(), names: new Map() };

const endings = new Set(['.json', '.jwk', '.jwks']);
const curves = ['Ed25519', 'P-256', 'secp256k1', 'P-384'] as const;

/** @throws Failure (usage) for what is no DID, and for a folder without keys or with a file that is none. */
export async function knownSigners({ signer, keys }: SignerOptions): Promise<KnownSigners> {
  const known: Collected = { dids: new Set(), methods: new Map(), names: new Map() };
  for (const did of signer) known.dids.add(signerDid(did));
  for (const folder of keys) await readFolder(folder, known);
  return known;
}

type Collected = Record<'methods' | 'names', Map<string, string>> & { readonly dids: Set<string> };

function signerDid(text: string): string {
  const fail = (reason: string) =>
    failUsage(`--signer ${JSON.stringify(text.slice(0, 200))} is not a DID. ${reason}`);
  if (!isDid(text) || /[/?#]/.test(text))
    return fail('Name one such as did:key:z6Mk… or did:web:example.com, as "cairn key create" prints it.');
  if (!text.startsWith('did:key:')) return text;
  try {
    return keyOfDid(text).did;
  } catch (error) {
    return fail(sentenceOfError(error));
  }
}

async function readFolder(folder: string, known: Collected): Promise<void> {
  if ((await pathKind(folder)) !== 'folder') failUsage(`--keys ${folder} is not a folder that exists.`);
  const files = (await fileNames(folder)).filter((name) => endings.has(extname(name).toLowerCase()));
  if (files.length === 0)
    failUsage(
      `The folder ${folder} of --keys has no keys. Put JWKs, JWK Sets or DID documents there, as .json files.`,
    );
  for (const name of files.toSorted()) {
    const path = join(folder, name);
    try {
      readKeys(await readJsonFile(path), known);
    } catch (error) {
      failUsage(`The key ${path} of --keys cannot be used: ${sentenceOfError(error).replace(/\.$/, '')}.`);
    }
  }
}

/** A DID document, a JWK Set or a JWK. Only the public part of a private key is used. */
function readKeys(value: unknown, known: Collected): void {
  if (!isObject(value)) throw new Error('it is neither a JWK, a JWK Set nor a DID document');
  if (typeof value.id === 'string' && value.id.startsWith('did:')) {
    readDidDocument(value.id, value, known);
    return;
  }
  const keys = Array.isArray(value.keys) ? value.keys : [value];
  if (keys.length === 0) throw new Error('it has no keys');
  for (const key of keys as Jwk[]) {
    const { did } = publicKeyOf(key, curves);
    known.dids.add(did);
    if (typeof key.kid === 'string' && key.kid !== '') known.names.set(key.kid, did);
  }
}

/** The keys with which a DID makes assertions (DID Core 1.0, 5.3.2). */
function readDidDocument(did: string, document: JsonObject, known: Collected): void {
  const listed = (name: string): unknown[] => (Array.isArray(document[name]) ? document[name] : []);
  const idOf = (text: unknown) => (String(text).startsWith('#') ? `${did}${text}` : String(text));
  const described = listed('verificationMethod').filter(isObject);
  const methods = new Map(described.map((one) => [idOf(one.id), one]));
  let count = 0;
  for (const one of listed('assertionMethod')) {
    const method = isObject(one) ? one : methods.get(idOf(one));
    if (!method) continue;
    const id = idOf(method.id);
    if (!id.startsWith(`${did}#`)) throw new Error(`the key ${id} does not belong to ${did}`);
    const key = keyIn(method);
    known.methods.set(id, key);
    known.names.set(id, key);
    known.dids.add(key);
    count += 1;
  }
  if (count === 0) throw new Error('it is a DID document without an assertionMethod that it describes');
  known.dids.add(did);
}

function keyIn({ publicKeyMultibase, publicKeyJwk }: JsonObject): string {
  if (typeof publicKeyMultibase === 'string') return keyOfDid(`did:key:${publicKeyMultibase}`).did;
  if (isObject(publicKeyJwk)) return publicKeyOf(publicKeyJwk as Jwk, curves).did;
  throw new Error('a verificationMethod has neither publicKeyMultibase nor publicKeyJwk');
}
