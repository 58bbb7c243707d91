import type { DatabaseSync } from 'node:sqlite';
import { type NamedBytes, type StagedBytes, smallContentBytes } from '../../../domain/bucket.ts';
import { readError, storageError } from '../errors.ts';
import type { OperationThread } from '../threads/operation-thread.ts';
import type { WriteOperations } from '../writer/write-operations.ts';
import { joinedBlobs, smallBlobWrites } from './small-blob-writes.ts';

/** Blobs that are staged together in memory. Further ones are staged in files. */
const mostStaged = 32 << 20;
const namesAtOnce = 1_000;
/** So that other writes need not wait long. */
const putAtOnce = 1_000;

export interface SmallBlobs {
  size(name: string): number | undefined;
  read(name: string): Uint8Array | undefined;
  readAll(names: readonly string[], limit: number): Map<string, Uint8Array>;
  names(): Generator<string>;
  put(name: string, bytes: Uint8Array): Promise<'stored' | 'known'>;
  /** Those whose names are taken stay as they are. */
  putAll(blobs: readonly NamedBytes[]): Promise<('stored' | 'known')[]>;
  remove(name: string): Promise<void>;
}

export function smallBlobs(
  reader: DatabaseSync,
  writes: Pick<OperationThread<WriteOperations>, 'run'>,
): SmallBlobs {
  return {
    ...smallBlobReads(reader),
    put: (name, bytes) => writes.run('putSmallBlob', { name, bytes }),
    async putAll(blobs) {
      const outcomes: ('stored' | 'known')[] = [];
      for (let at = 0; at < blobs.length; at += putAtOnce)
        outcomes.push(...(await writes.run('putSmallBlobs', joinedBlobs(blobs.slice(at, at + putAtOnce)))));
      return outcomes;
    },
    remove: (name) => writes.run('removeSmallBlob', { name }),
  };
}

/** Without a thread: for a store that nobody else uses. */
export function smallBlobsOf(database: DatabaseSync): SmallBlobs {
  const { putSmallBlob, putSmallBlobs, removeSmallBlob } = smallBlobWrites(database);
  return {
    ...smallBlobReads(database),
    put: async (name, bytes) => putSmallBlob({ name, bytes }),
    putAll: async (blobs) => putSmallBlobs(joinedBlobs(blobs)),
    remove: async (name) => removeSmallBlob({ name }),
  };
}

function smallBlobReads(database: DatabaseSync): Pick<SmallBlobs, 'size' | 'read' | 'readAll' | 'names'> {
  const size = database.prepare('SELECT length(bytes) AS size FROM small_blobs WHERE name = ?');
  const read = database.prepare('SELECT bytes FROM small_blobs WHERE name = ?');
  const readAll = database.prepare(
    `SELECT name, bytes FROM json_each(?) AS wanted CROSS JOIN small_blobs ON name = wanted.value
       WHERE length(bytes) <= ?`,
  );
  const names = database.prepare(
    `SELECT id, name FROM small_blobs WHERE id > ? ORDER BY id LIMIT ${namesAtOnce}`,
  );
  const rowOf = (statement: typeof size, name: string) => {
    try {
      return statement.get(name);
    } catch (error) {
      throw readError(error);
    }
  };
  return {
    size: (name) => rowOf(size, name)?.size as number | undefined,
    read: (name) => rowOf(read, name)?.bytes as Uint8Array | undefined,
    readAll(wanted, limit) {
      const found = new Map<string, Uint8Array>();
      try {
        for (const { name, bytes } of readAll.iterate(JSON.stringify(wanted), limit))
          found.set(String(name), bytes as Uint8Array);
      } catch (error) {
        throw readError(error);
      }
      return found;
    },
    *names() {
      for (let rows = names.all(0); rows.length > 0; rows = names.all(Number(rows.at(-1)?.id)))
        for (const { name } of rows) yield String(name);
    },
  };
}

export interface SmallStaging {
  /** Bytes of the blobs that are staged in memory. */
  staged: number;
}

/** Bytes that stay in memory while they are few. More of them go to a file. */
export function stagedSmall(
  staging: SmallStaging,
  openFile: () => Promise<StagedBytes>,
  publish: (
    name: string,
    bytes: Uint8Array,
    isIntact?: () => Promise<boolean>,
  ) => Promise<'stored' | 'known'>,
): StagedBytes {
  let file: StagedBytes | undefined;
  let chunks: Uint8Array[] = [];
  let size = 0;
  let [isFinished, isEnded] = [false, false];
  const forget = () => {
    staging.staged -= size;
    [chunks, size] = [[], 0];
  };
  return {
    async write(chunk) {
      if (isFinished || isEnded) throw new Error('The upload is finished.');
      const isSmall = size + chunk.length <= smallContentBytes && staging.staged + chunk.length <= mostStaged;
      if (!file && isSmall) {
        // The caller may use its chunk again.
        chunks.push(Uint8Array.from(chunk));
        size += chunk.length;
        staging.staged += chunk.length;
        return;
      }
      if (!file) {
        file = await openFile();
        const [first] = chunks;
        if (first) await file.write(joined(chunks, size));
        forget();
      }
      await file.write(chunk);
    },
    async finish() {
      isFinished = true;
      await file?.finish();
    },
    async commit(name, isIntact) {
      if (file) return await file.commit(name, isIntact);
      if (isEnded) throw new Error('The upload has ended.');
      isEnded = true;
      try {
        return await publish(name, joined(chunks, size), isIntact);
      } catch (error) {
        throw storageError(error);
      } finally {
        forget();
      }
    },
    async discard() {
      isEnded = true;
      forget();
      await file?.discard();
    },
  };
}

/** In memory of its own, because all memory behind an array is sent to a thread. */
function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only, ...others] = chunks;
  if (only && others.length === 0) return only;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
