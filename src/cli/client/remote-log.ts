import { ServiceError } from '../../domain/errors.ts';
import { hashSize } from '../../domain/log/merkle/hashing.ts';
import { type TileName, tilePath, tileWidth } from '../../domain/log/merkle/tiles.ts';
import type { RemoteLog } from '../../domain/log/monitoring/followed-log.ts';
import { type ApiClient, ApiRefusal, answerBytes, answerText } from './api-client.ts';

const lengthBytes = 2;

/** A log below a path of a server. What it answers is compared with its checkpoints by whoever reads it. */
export function remoteLog(client: ApiClient, path: string): RemoteLog {
  const fetched = async (tile: TileName) => {
    const response = await client.send('GET', `${path}/tile/${tilePath(tile)}`);
    return Buffer.concat(await Array.fromAsync(answerBytes(response)));
  };
  /** A server may have replaced a partial tile by the full one. */
  const tileBytes = async (tile: TileName): Promise<Buffer> => {
    try {
      return await fetched(tile);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
      if (tile.width < tileWidth) return await tileBytes({ ...tile, width: tileWidth });
      throw new ServiceError('damaged', `The log does not serve ${tilePath(tile)}.`, { cause: error });
    }
  };
  return {
    checkpoint: async () => await answerText(await client.send('GET', `${path}/checkpoint`)),
    tiles: async (coordinates) =>
      await Promise.all(
        coordinates.map(async (tile) => (await tileBytes(tile)).subarray(0, tile.width * hashSize)),
      ),
    entries: async (bundle) => {
      const name = { level: 'entries', ...bundle } as const;
      return entriesIn(await tileBytes(name), tilePath(name));
    },
  };
}

/** Entries follow each other, each after its length in two bytes (tlog-tiles, section Log entries). */
function entriesIn(bytes: Buffer, path: string): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + lengthBytes;
    const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : Number.POSITIVE_INFINITY;
    if (end > bytes.length)
      throw new ServiceError('damaged', `The log serves a bundle of entries that is cut off: ${path}.`);
    entries.push(bytes.subarray(start, end));
    at = end;
  }
  return entries;
}
