import { messageOf } from '../../errors.ts';
import { emptyRoot, sha256 } from '../merkle/hashing.ts';
import { verifyConsistency } from '../merkle/proofs.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import { verifyNote } from '../notes/cosignature.ts';
import { formatNote, type Note, parseNote } from '../notes/signed-note.ts';
import type { NoteSigner } from '../notes/signing.ts';
import type { Vkey } from '../notes/vkey.ts';
import { quoted } from '../proof-error.ts';
import { type AddCheckpoint, parseAddCheckpoint } from './add-checkpoint.ts';

/** What a witness remembers of a log: the largest tree that it has cosigned. */
export interface Witnessed {
  readonly size: number;
  readonly root: Uint8Array;
  /** Unix time in seconds of the last cosignature. */
  readonly at: number;
  /** The checkpoint with the signatures of its log and the cosignatures. */
  readonly note: string;
}

/** The memory of a witness. Any number of processes may share it. */
export interface WitnessedLogs {
  latest(origin: string): Witnessed | undefined;
  /**
   * Remembers `next` if `expected` is what is remembered now. It is durable before this returns.
   * @returns false if another request was faster.
   */
  replace(origin: string, expected: Witnessed | undefined, next: Witnessed): boolean;
}

export interface WitnessPorts {
  /** The keys of each log that the witness follows, by its origin. */
  readonly logs: ReadonlyMap<string, readonly Vkey[]>;
  readonly memory: WitnessedLogs;
  readonly signers: readonly NoteSigner[];
  readonly now: () => Date;
}

/** Why a witness does not cosign, in the order in which it looks (c2sp.org/tlog-witness). */
export type WitnessFault = 'malformed' | 'unknown_log' | 'untrusted' | 'conflict' | 'inconsistent';

export class WitnessRefusal extends Error {
  readonly fault: WitnessFault;
  /** The checkpoint that was sent, if its log has signed it. */
  readonly sent: string | undefined;
  /** What the witness has cosigned before. */
  readonly known: Witnessed | undefined;

  constructor(
    fault: WitnessFault,
    message: string,
    seen: { sent?: string; known?: Witnessed | undefined } = {},
  ) {
    super(message);
    this.name = 'WitnessRefusal';
    this.fault = fault;
    this.sent = seen.sent;
    this.known = seen.known;
  }
}

/**
 * Cosigns a checkpoint that extends the last one of its log.
 * @returns the cosignature lines, without newlines.
 * @throws WitnessRefusal
 */
export async function addCheckpoint(body: Uint8Array, ports: WitnessPorts): Promise<readonly string[]> {
  const { request, note, checkpoint } = orRefuse('malformed', () => readRequest(body));
  const { origin, size, root } = checkpoint;
  const vkeys = ports.logs.get(origin);
  if (vkeys === undefined)
    throw new WitnessRefusal('unknown_log', `This witness does not follow the log ${quoted(origin)}.`);
  const signatures = orRefuse('untrusted', () => verifyNote(note, vkeys));
  if (request.oldSize > size)
    throw new WitnessRefusal('malformed', `The old size ${request.oldSize} is larger than the size ${size}.`);
  const known = ports.memory.latest(origin);
  const knownSize = known?.size ?? 0;
  if (request.oldSize !== knownSize)
    throw new WitnessRefusal(
      'conflict',
      `The last tree that this witness has cosigned has the size ${knownSize}.`,
      {
        known,
      },
    );
  const seen = { sent: request.note, known };
  orRefuse('inconsistent', () => assertExtends(checkpoint, request, known), seen);
  // A cosignature says which tree was the largest at its time, so its time never goes back, whatever the clock does.
  const at = Math.max(Math.floor(ports.now().getTime() / 1_000), known?.at ?? 1);
  const cosignatures = await Promise.all(ports.signers.map((signer) => signer.sign(note.text, at)));
  const lines = [...signatures.map(({ line }) => line), ...cosignatures];
  const next = { size, root, at, note: formatNote(note.text, lines) };
  // Another request was faster, so all is compared with what that one has left.
  if (!ports.memory.replace(origin, known, next)) return await addCheckpoint(body, ports);
  return cosignatures;
}

function readRequest(body: Uint8Array): { request: AddCheckpoint; note: Note; checkpoint: Checkpoint } {
  const request = parseAddCheckpoint(body);
  const note = parseNote(request.note);
  return { request, note, checkpoint: parseCheckpoint(note.text) };
}

function assertExtends(
  { size, root }: Checkpoint,
  { oldSize, proof }: AddCheckpoint,
  known: Witnessed | undefined,
): void {
  const oldRoot = known?.root ?? emptyRoot;
  verifyConsistency({ oldSize, size, oldRoot, root, path: proof });
}

function orRefuse<Value>(fault: WitnessFault, work: () => Value, seen = {}): Value {
  try {
    return work();
  } catch (error) {
    throw new WitnessRefusal(fault, messageOf(error), seen);
  }
}

/** How the address of a log's checkpoint at a witness names the log. */
export function originHash(origin: string): string {
  return Buffer.from(sha256(origin)).toString('hex');
}
