import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type KeyType, makeDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import type { PublicKey, Signer } from '../../src/domain/integrity/signer.ts';

export interface TestKey extends PublicKey {
  readonly method: string;
  readonly privateKey: KeyObject;
  sign(bytes: Uint8Array): Buffer;
}

/** A new key of that type. */
export function newKey(keyType: KeyType = 'Ed25519'): TestKey {
  const curve = keyType === 'Ed25519' ? undefined : keyType;
  const { privateKey, publicKey } =
    curve === undefined ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve });
  const { kty = '', crv = '', x = '', y } = publicKey.export({ format: 'jwk' });
  const raw = Buffer.from(x, 'base64url');
  const odd = Buffer.from(y ?? '', 'base64url').at(-1) ?? 0;
  const did = makeDidKey(keyType, y === undefined ? raw : Buffer.concat([Buffer.of(2 + (odd & 1)), raw]));
  const hash = { Ed25519: null, 'P-256': 'sha256', secp256k1: 'sha256', 'P-384': 'sha384' }[keyType];
  return {
    did,
    jwk: { kty, crv, x, ...(y !== undefined && { y }) },
    method: `${did}#${did.slice('did:key:'.length)}`,
    privateKey,
    sign: (bytes) => sign(hash, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}

/** A signer with this active key, and these former ones. */
export function signerWith(active: TestKey, ...former: PublicKey[]): Signer {
  return { did: active.did, keys: [active, ...former], sign: async (bytes) => active.sign(bytes) };
}
