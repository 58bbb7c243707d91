import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { makeDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';

/** The bytes before the 32 bytes of an Ed25519 private key (RFC 8410, section 7). */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The actors of the demo. Their keys are derived from their names, so they are the same in each run. */
export const actors = { developer: didOf('developer'), builder: didOf('builder') };

export function didOf(name: string): string {
  const seed = createHash('sha256').update(`cairn demo ${name}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return makeDidKey('Ed25519', Buffer.from(x, 'base64url'));
}
