import { parseCheckpoint } from './notes/checkpoint.ts';
import { parseNote } from './notes/signed-note.ts';
import type { Cosigner } from './notes/tlog-proof.ts';

const timeBytes = 8;

/** The witnesses of a checkpoint that this service has published, the earliest first. It has verified their lines before. */
export function cosignersIn(note: string): Cosigner[] {
  const { text, signatures } = parseNote(note);
  const { origin } = parseCheckpoint(text);
  return signatures
    .filter(({ name, signature }) => name !== origin && signature.length > timeBytes)
    .map(({ name, signature }) => {
      const view = new DataView(signature.buffer, signature.byteOffset);
      return { name, at: Number(view.getBigUint64(0)) };
    })
    .toSorted((one, other) => one.at - other.at);
}
