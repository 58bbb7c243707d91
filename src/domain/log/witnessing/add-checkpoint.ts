import { fromBase64, toBase64 } from '../../base64.ts';
import { hashSize } from '../merkle/hashing.ts';
import { parseCount } from '../notes/checkpoint.ts';
import { textOf } from '../notes/signed-note.ts';
import { quoted, refuse } from '../proof-error.ts';

/** A request to a witness (c2sp.org/tlog-witness, section add-checkpoint). */
export interface AddCheckpoint {
  /** The size of the last tree that the witness has cosigned, as the client believes. */
  readonly oldSize: number;
  /** Proves that the tree of the checkpoint extends that one. */
  readonly proof: readonly Uint8Array[];
  /** A checkpoint signed by its log. */
  readonly note: string;
}

const mostProofLines = 63;

export function formatAddCheckpoint({ oldSize, proof, note }: AddCheckpoint): string {
  return [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n');
}

/** @throws LogProofError `malformed`, `too_large`, `wrong_size` */
export function parseAddCheckpoint(body: Uint8Array | string): AddCheckpoint {
  const text = textOf(body);
  const end = text.indexOf('\n\n');
  if (end < 0)
    return refuse('malformed', 'The request has no empty line between the proof and the checkpoint.');
  const [first = '', ...lines] = text.slice(0, end).split('\n', mostProofLines + 2);
  if (!first.startsWith('old '))
    refuse(
      'malformed',
      `The request must begin with a line such as "old 20852014", not with ${quoted(first)}.`,
    );
  if (lines.length > mostProofLines)
    refuse('malformed', `A consistency proof has at most ${mostProofLines} lines.`);
  const proof = lines.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length === hashSize) return hash;
    return refuse('malformed', `${quoted(line)} is no hash, which is ${hashSize} bytes in base64.`);
  });
  return { oldSize: parseCount(first.slice('old '.length), 'old size'), proof, note: text.slice(end + 2) };
}
