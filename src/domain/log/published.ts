import { ServiceError } from '../errors.ts';
import { type TileName, tileWidth, widthIn } from './merkle/tiles.ts';
import { logNames, originBelow } from './names.ts';
import { formatCheckpoint } from './notes/checkpoint.ts';
import { formatNote } from './notes/signed-note.ts';
import type { NoteSigner } from './notes/signing.ts';
import { formatVkey } from './notes/vkey.ts';
import type { LogReading } from './reading.ts';

/** The keys that a log is signed with. The first one is the Ed25519 key. */
export type SignersOf = (origin: string) => readonly [NoteSigner, ...NoteSigner[]];

/** What everybody reads who may read a log. */
export interface PublishedLogs {
  readonly reading: LogReading;
  /** The origin of the service log, and its keys; undefined if this service has no key of the log. */
  readonly signing: { readonly origin: string; readonly signersOf: SignersOf } | undefined;
  readonly now: () => Date;
}

/** The tree of a log that is published: a size that is a head in the published tree of the service log. */
async function publishedSize({ reading }: Pick<PublishedLogs, 'reading'>, log: string): Promise<number> {
  const checkpoint = await reading.published();
  if (!checkpoint) return 0;
  if (log === logNames.service) return checkpoint.size;
  return (await reading.headAt(log, checkpoint.size))?.size ?? 0;
}

/**
 * The newest published checkpoint of a log. That of another log than the service log is signed when it is asked for, and says
 * what the service log has published.
 * @throws ServiceError `not_found`.
 */
export async function publishedNote({ reading, signing }: PublishedLogs, log: string): Promise<string> {
  const checkpoint = await reading.published();
  if (!checkpoint || !signing) return throwUnpublished(signing);
  if (log === logNames.service) return checkpoint.note;
  const head = await reading.headAt(log, checkpoint.size);
  if (!head) return throwUnpublished(signing);
  const origin = originBelow(signing.origin, log);
  const text = formatCheckpoint({
    origin,
    size: head.size,
    root: Buffer.from(head.root, 'base64'),
    extensions: [],
  });
  const at = Math.floor(checkpoint.at / 1_000);
  const lines = await Promise.all(signing.signersOf(origin).map((signer) => signer.sign(text, at)));
  return formatNote(text, lines);
}

function throwUnpublished(signing: PublishedLogs['signing']): never {
  throw new ServiceError(
    'not_found',
    signing
      ? 'No checkpoint of this log is published yet.'
      : 'This service publishes no checkpoints, because it has no key for its log (CAIRN_LOG_KEY_FILE).',
  );
}

/** The verifier keys of a log, one in a line. @throws ServiceError `not_found`. */
export function keysOf({ signing }: Pick<PublishedLogs, 'signing'>, log: string): string {
  if (!signing) return throwUnpublished(signing);
  const signers = signing.signersOf(originBelow(signing.origin, log));
  return signers.map(({ vkey }) => `${formatVkey(vkey)}\n`).join('');
}

/** The bytes of a tile, or a bundle of entries. @throws ServiceError `not_found` beyond the published tree. */
export async function publishedTile(
  ports: Pick<PublishedLogs, 'reading'>,
  log: string,
  { level, index, width }: TileName,
): Promise<Uint8Array> {
  const size = await publishedSize(ports, log);
  const there = widthIn(size, level === 'entries' ? 0 : level, index);
  if (width > there) {
    const what = width === tileWidth ? 'full tile' : `tile of the width ${width}`;
    throw new ServiceError('not_found', `The published tree of size ${size} has no such ${what}.`);
  }
  if (level === 'entries') return bundle(await ports.reading.entries(log, { index, width }));
  const [hashes = new Uint8Array()] = await ports.reading.tiles(log).tiles([{ level, index, width }]);
  return hashes;
}

/** Entries, each after its length in two bytes (tlog-tiles, section Log entries). */
function bundle(entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    entries.flatMap((entry) => [Uint8Array.of(Math.floor(entry.length / 256), entry.length % 256), entry]),
  );
}
