import { createPublicKey, type webcrypto } from 'node:crypto';
import { type KeyType, makeDidKey } from '../domain/integrity/identifiers/did-key.ts';
import type { PublicKey } from '../domain/integrity/signer.ts';

export type Jwk = webcrypto.JsonWebKey & { readonly kid?: unknown };

/** The public key of a public or private JWK (RFC 7517). @throws Error if it is on none of these curves. */
export function publicKeyOf(key: Jwk, curves: readonly KeyType[]): PublicKey {
  const curve = curves.find((name) => name === key?.crv);
  const names = curves.map((name) => `"${name}"`).join(' or ');
  if (curve === undefined) throw new Error(`every key must be a JWK with crv ${names}`);
  const { kty = '', crv = '', x = '', y } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' });
  return {
    did: makeDidKey(curve, rawKey(x, y)),
    jwk: { kty, crv, x, ...(y !== undefined && { y }) },
  };
}

/** The bytes of an Ed25519 key, or the compressed point of another one (SEC 1, 2.3.3). */
function rawKey(x: string, y: string | undefined): Uint8Array {
  const bytes = Buffer.from(x, 'base64url');
  if (y === undefined) return bytes;
  const sign = 2 + ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1);
  return Buffer.concat([Buffer.of(sign), bytes]);
}
