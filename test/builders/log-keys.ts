import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { formatNote } from '../../src/domain/log/notes/signed-note.ts';
import { type NoteSigner, noteSigner } from '../../src/domain/log/notes/signing.ts';
import { type KeyType, keyTypes, vkeyOf } from '../../src/domain/log/notes/vkey.ts';

/** A key that only the running test knows. */
export function freshSigner(name: string, type: KeyType = keyTypes.ed25519): NoteSigner {
  const isMlDsa = type === keyTypes.mlDsa44Cosigner;
  const { publicKey, privateKey } = isMlDsa
    ? generateKeyPairSync('ml-dsa-44')
    : generateKeyPairSync('ed25519');
  const copy = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return noteSigner(vkeyOf(name, type, publicKey), copy);
}

/** A note with the signatures of all signers, in their order. */
export async function signedBy(
  text: string,
  signers: readonly NoteSigner[],
  at = 1_700_000_000,
): Promise<string> {
  return formatNote(text, await Promise.all(signers.map((signer) => signer.sign(text, at))));
}
