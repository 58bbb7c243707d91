import { parseCheckpoint } from '../../../log/notes/checkpoint.ts';
import { verifyNote } from '../../../log/notes/cosignature.ts';
import { parseNote } from '../../../log/notes/signed-note.ts';
import { formatVkey, type Vkey } from '../../../log/notes/vkey.ts';
import { LogProofError } from '../../../log/proof-error.ts';
import type { LogFact } from '../facts.ts';

/** A published checkpoint, as the keys that count have signed it. */
export type SignedCheckpoint = Pick<LogFact, 'origin' | 'key' | 'witnesses'>;

/**
 * Who has signed a checkpoint of a log.
 * @param keys of logs and witnesses. Others do not count.
 * @returns undefined if none of them is a key of the log.
 */
export function signedCheckpoint(note: string, keys: readonly Vkey[]): SignedCheckpoint | undefined {
  try {
    const parsed = parseNote(note);
    const { origin } = parseCheckpoint(parsed.text);
    const signatures = verifyNote(parsed, keys);
    const log = signatures.find(({ vkey }) => vkey.name === origin);
    if (!log) return undefined;
    const witnesses = signatures.flatMap(({ vkey, at }) =>
      at === null || vkey.name === origin
        ? []
        : [{ name: vkey.name, key: formatVkey(vkey), at: new Date(at * 1_000).toISOString() }],
    );
    return { origin, key: formatVkey(log.vkey), witnesses };
  } catch (error) {
    if (error instanceof LogProofError) return undefined;
    throw error;
  }
}
