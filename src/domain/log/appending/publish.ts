import { consistencyProof, rootAt } from '../merkle/proofs.ts';
import { logNames } from '../names.ts';
import { formatCheckpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/signed-note.ts';
import type { NoteSigner } from '../notes/signing.ts';
import type { HeadGuard, Witnessing } from '../ports.ts';
import { newestCheckpoint, storedTiles } from '../reading.ts';
import { checkpointKey, type LogRecords, type PublishedCheckpoint } from '../records.ts';
import type { Turn } from './turns.ts';

export interface Publishing {
  /** The first one is the log's Ed25519 key, whose name is the origin. */
  readonly signers: readonly [NoteSigner, ...NoteSigner[]];
  readonly guard: HeadGuard;
  readonly witnessing: Witnessing;
  /** Of publishing, which this process has. */
  readonly turn: Pick<Turn, 'take'>;
}

/**
 * Signs the head of the service log and publishes it, if it has grown.
 * @returns whether the newest head is published. It is not while witnesses are missing.
 * @throws ServiceError `unavailable` if the guard knows of another history.
 */
export async function publishHead(
  records: LogRecords,
  { signers, guard, witnessing, turn }: Publishing,
  now: number,
): Promise<boolean> {
  const { size = 0 } = (await records.logs.get(logNames.service)) ?? {};
  const last = await newestCheckpoint(records);
  if (size <= (last?.size ?? 0)) return true;
  const tiles = storedTiles(records, logNames.service);
  const root = await rootAt(tiles, size);
  const origin = signers[0].vkey.name;
  await guard.admit({ origin, size, root });
  const checkpoint = { origin, size, root, extensions: [] };
  const text = formatCheckpoint(checkpoint);
  // A clock that goes back must not make a later checkpoint look earlier.
  const at = Math.max(now, last?.at ?? 0);
  const lines = await Promise.all(signers.map((signer) => signer.sign(text, Math.floor(at / 1_000))));
  const signed = formatNote(text, lines);
  // All this may have taken long.
  if (!(await turn.take())) return false;
  const note = await witnessing.cosigned(signed, checkpoint, (oldSize) =>
    consistencyProof(tiles, oldSize, size),
  );
  if (note === null) return false;
  const record: PublishedCheckpoint = {
    key: checkpointKey(size),
    size,
    root: Buffer.from(root).toString('base64'),
    note,
    at,
  };
  await records.checkpoints.insert([record]);
  return true;
}
