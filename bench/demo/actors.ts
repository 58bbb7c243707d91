import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { makeDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';

/** RFC 8410, 7: what stands before the 32 bytes of an Ed25519 private key. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Who registers what in the demo. Their keys follow from their names, so that each run has the same ones. */
export const actors = { developer: didOf('developer'), builder: didOf('builder') };

function didOf(name: string): string {
  const seed = createHash('sha256').update(`cairn demo ${name}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return makeDidKey('Ed25519', Buffer.from(x, 'base64url'));
}
