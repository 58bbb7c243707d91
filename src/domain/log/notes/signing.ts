import { type KeyObject, sign } from 'node:crypto';
import { signedMessage, timestamped } from './cosignature.ts';
import { formatSignature } from './signed-note.ts';
import { keyTypes, type Vkey } from './vkey.ts';

/** Signs checkpoints with one key. */
export interface NoteSigner {
  readonly vkey: Vkey;
  /** @param at Unix time in seconds, which only cosignatures contain. @returns a signature line without its newline. */
  sign(text: string, at: number): Promise<string>;
}

export function noteSigner(vkey: Vkey, privateKey: KeyObject): NoteSigner {
  return {
    vkey,
    sign: async (text, at) => {
      const signature = sign(null, signedMessage(vkey, text, at), privateKey);
      const bytes = vkey.type === keyTypes.ed25519 ? signature : timestamped(at, signature);
      return formatSignature(vkey.name, vkey.keyId, bytes);
    },
  };
}
