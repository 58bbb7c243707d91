import { type Checkpoint, parseCheckpoint } from './notes/checkpoint.ts';
import { verifyNote } from './notes/cosignature.ts';
import { parseNote } from './notes/signed-note.ts';
import { type LogTrust, type VerifiedCheckpoint, verifyCheckpoint } from './notes/tlog-proof.ts';

/** A time at which a checkpoint existed. */
export interface Sighting {
  /** Unix time in seconds. */
  readonly at: number;
  /** The names of the witnesses whose clocks say so; none if only the log itself says so. */
  readonly witnesses: readonly string[];
}

export interface CheckedCheckpoint extends Checkpoint {
  /** The signed note. */
  readonly note: string;
  /** Whether the reader trusts a log, which has signed this. Otherwise nobody can tell whose log it is. */
  readonly isKnown: boolean;
  /** Null if no signature has a time. */
  readonly seen: Sighting | null;
}

/** Checks checkpoints by what a reader trusts. Each is checked once, because many proofs share one. */
export class CheckpointChecks {
  readonly #trust: LogTrust;
  readonly #checked = new Map<string, CheckedCheckpoint>();

  constructor(trust: LogTrust) {
    this.#trust = trust;
  }

  /** @param note a signed checkpoint. @throws LogProofError as `verifyCheckpoint`, unless the reader trusts no log */
  check(note: string): CheckedCheckpoint {
    return this.#checked.getOrInsertComputed(note, () => this.#check(note));
  }

  #check(note: string): CheckedCheckpoint {
    const { logs, policy } = this.#trust;
    if (logs.length + policy.logs.length === 0)
      return { ...parseCheckpoint(parseNote(note).text), note, isKnown: false, seen: null };
    const verified = verifyCheckpoint(note, this.#trust);
    const seen = sightingBy(verified) ?? this.#ownClock(note, verified.checkpoint.origin);
    return { ...verified.checkpoint, note, isKnown: true, seen };
  }

  /** A log can cosign its own checkpoints, with the time. */
  #ownClock(text: string, origin: string): Sighting | null {
    const { logs, policy } = this.#trust;
    const keys = [...logs, ...policy.logs.map(({ vkey }) => vkey)].filter(({ name }) => name === origin);
    const at = verifyNote(parseNote(text), keys).find((signature) => signature.at)?.at;
    return at ? { at, witnesses: [] } : null;
  }
}

/** When the policy was met. If it needs no witness, the first one. */
function sightingBy({ witnesses, at: met }: VerifiedCheckpoint): Sighting | undefined {
  const at = met ?? witnesses[0]?.at;
  if (at === undefined) return undefined;
  return { at, witnesses: witnesses.filter((one) => one.at <= at).map(({ name }) => name) };
}
