import { fromBase64, toBase64 } from '../../base64.ts';
import { hashSize } from '../merkle/hashing.ts';
import { quoted, refuse } from '../proof-error.ts';

/** What a log signs about itself (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly extensions: readonly string[];
}

/** @param text of a note. @throws LogProofError `malformed`, `wrong_size` */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...extensions] = text.split('\n');
  if (origin === '' || extensions.pop() !== '' || extensions.includes(''))
    return refuse('malformed', 'A checkpoint has lines for its origin, size and root, and no empty lines.');
  const hash = fromBase64(root);
  if (hash?.length !== hashSize)
    return refuse('malformed', `${quoted(root)} is no root hash, which is ${hashSize} bytes in base64.`);
  return { origin, size: parseCount(size, 'size'), root: hash, extensions };
}

export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  return [origin, String(size), toBase64(root), ...extensions, ''].join('\n');
}

/** A decimal number without leading zeros. @throws LogProofError `malformed`, `wrong_size` */
export function parseCount(text: string, name: string): number {
  if (!/^(?:0|[1-9]\d*)$/.test(text))
    refuse('malformed', `${quoted(text)} is no ${name}, which is a decimal number without leading zeros.`);
  const count = Number(text);
  if (!Number.isSafeInteger(count))
    refuse('wrong_size', `The ${name} ${quoted(text)} is larger than 2^53 - 1.`);
  return count;
}
