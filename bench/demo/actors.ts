import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { makeDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import type { Signer } from '../../src/domain/integrity/signer.ts';

/** The bytes before the 32 bytes of an Ed25519 private key (RFC 8410, section 7). */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The actors of the demo. Their keys are derived from their names, so they are the same in each run. */
export const signers = { developer: signerOf('developer'), builder: signerOf('builder') };
export const actors = { developer: signers.developer.did, builder: signers.builder.did };

export function didOf(name: string): string {
  return signerOf(name).did;
}

/** The private key of an actor, as `cairn key create` writes one. */
export function privateJwkOf(name: string): object {
  return privateKeyOf(name).export({ format: 'jwk' });
}

function privateKeyOf(name: string): KeyObject {
  const seed = createHash('sha256').update(`cairn demo ${name}`).digest();
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
}

function signerOf(name: string): Signer {
  const key = privateKeyOf(name);
  const { kty = '', crv = '', x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const did = makeDidKey('Ed25519', Buffer.from(x, 'base64url'));
  return { did, keys: [{ did, jwk: { kty, crv, x } }], sign: async (bytes) => sign(null, bytes, key) };
}
