import { refuse } from '../proof-error.ts';
import { parseCheckpoint } from './checkpoint.ts';
import type { Note, NoteSignature } from './signed-note.ts';
import { isSignedBy, keyTypes, type Vkey } from './vkey.ts';

const timeSize = 8;

/** What a key signs about the text of a note: the text itself, or a message of c2sp.org/tlog-cosignature. */
export function signedMessage(
  { type, name }: Pick<Vkey, 'type' | 'name'>,
  text: string,
  at: number,
): Uint8Array {
  if (type === keyTypes.ed25519) return Buffer.from(text);
  if (type === keyTypes.ed25519Cosigner) return Buffer.from(`cosignature/v1\ntime ${at}\n${text}`);
  const { origin, size, root } = parseCheckpoint(text);
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    shortText(name),
    uint64(at),
    shortText(origin),
    uint64(0),
    uint64(size),
    root,
  ]);
}

function shortText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const most = 255;
  if (bytes.length > most) refuse('too_large', `A name that ML-DSA-44 signs has at most ${most} bytes.`);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

export function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(timeSize);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** The signature of a cosignature line: its time, then the signature itself. */
export function timestamped(at: number, signature: Uint8Array): Uint8Array {
  return Buffer.concat([uint64(at), signature]);
}

export interface VerifiedSignature {
  readonly vkey: Vkey;
  /** Unix time in seconds by the clock of a cosigner. Null for the signature of a log, which has no time. */
  readonly at: number | null;
  readonly line: string;
}

/**
 * The signatures by known keys, of which there is at least one. Lines of other keys are ignored.
 * @throws LogProofError `unknown_key`, `wrong_signature` if any line of a known key does not verify.
 */
export function verifyNote({ text, signatures }: Note, vkeys: readonly Vkey[]): VerifiedSignature[] {
  const verified = signatures.flatMap((each) => {
    const vkey = vkeys.find(({ name, keyId }) => name === each.name && keyId === each.keyId);
    return vkey === undefined ? [] : [verifySignature(vkey, text, each)];
  });
  if (verified.length === 0) {
    const names = signatures.slice(0, 3).map(({ name }) => name);
    refuse('unknown_key', `No known key has signed this. It is signed by ${names.join(', ')}.`);
  }
  return verified;
}

/** @throws LogProofError `wrong_signature` */
export function verifySignature(
  vkey: Vkey,
  text: string,
  { signature, line }: Pick<NoteSignature, 'signature' | 'line'>,
): VerifiedSignature {
  const isTimed = vkey.type !== keyTypes.ed25519;
  const at = isTimed ? timeOf(signature) : null;
  const bytes = isTimed ? signature.subarray(timeSize) : signature;
  const isValid = at !== undefined && isSignedBy(vkey, signedMessage(vkey, text, at ?? 0), bytes);
  if (!isValid)
    return refuse(
      'wrong_signature',
      `The signature of ${vkey.name} is wrong, or the text was changed after signing.`,
    );
  return { vkey, at, line };
}

function timeOf(signature: Uint8Array): number | undefined {
  if (signature.length <= timeSize) return undefined;
  const at = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return Number.isSafeInteger(at) ? at : undefined;
}
