import pMap from 'p-map';
import { ServiceError } from './errors.ts';
import type { BlobContent, ByteRange, Staged } from './integrity/ports.ts';

/**
 * A place for bytes under names (letters, digits, `-` and `.`): a folder, a bucket of GridFS, or one of an object store.
 * What is stored under a name appears whole, is durable, and never changes.
 */
export interface Bucket {
  stage(): Promise<StagedBytes>;
  size(name: string): Promise<number | undefined>;
  /** @param range default: all bytes. */
  read(name: string, range?: ByteRange): Promise<BlobContent | undefined>;
  /**
   * Reads several contents at once. Those that are missing, incomplete or larger than `limit` are undefined.
   * @param limit at most 256 KiB.
   */
  readSmall(names: readonly string[], limit: number): Promise<(Uint8Array | undefined)[]>;
  /** Stores several contents of at most `smallContentBytes` at once, each unless its name is taken. */
  putSmall(contents: readonly NamedBytes[]): Promise<('stored' | 'known')[]>;
  /** Harmless if the content does not exist. */
  remove(name: string): Promise<void>;
  /** Every name, also of what something else has put there. */
  names(): AsyncIterable<string>;
}

export const smallContentBytes = 128 << 10;

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface StagedBytes extends Staged<string> {
  /**
   * @param isIntact whether the bytes that have the name already are good; bad ones are replaced. Default: they are good.
   *   A bucket that can replace them in one step may do so without asking.
   */
  commit(name: string, isIntact?: () => Promise<boolean>): Promise<'stored' | 'known'>;
}

/** The buckets of a store. */
export interface Buckets {
  /** Blobs by multihash. */
  readonly blobs: Bucket;
  /** Finished manifests. */
  readonly exportResults: Bucket;
  /** Bodies of exchanges and state blobs. No integrity route reads them. */
  readonly sealedContents: Bucket;
}

const readsAtOnce = 16;
const writesAtOnce = 16;

/** `readSmall` of a bucket that has nothing quicker than to read one content after another. */
export async function readEach(
  bucket: Pick<Bucket, 'read'>,
  names: readonly string[],
  limit: number,
): Promise<(Uint8Array | undefined)[]> {
  return await pMap(names, (name) => readOne(bucket, name, limit), { concurrency: readsAtOnce });
}

/** `putSmall` of a bucket that has nothing quicker than to store one content after another. */
export async function putEach(
  bucket: Pick<Bucket, 'stage'>,
  contents: readonly NamedBytes[],
): Promise<('stored' | 'known')[]> {
  const put = async ({ name, bytes }: NamedBytes) => {
    const staged = await bucket.stage();
    try {
      await staged.write(bytes);
      return await staged.commit(name);
    } catch (error) {
      await staged.discard();
      throw error;
    }
  };
  return await pMap(contents, put, { concurrency: writesAtOnce });
}

async function readOne(bucket: Pick<Bucket, 'read'>, name: string, limit: number) {
  try {
    await using content = await bucket.read(name);
    if (!content || content.size > limit) return undefined;
    return Buffer.concat(await Array.fromAsync(content.bytes));
  } catch (error) {
    if (error instanceof ServiceError && error.retryAfter === undefined) return undefined;
    throw error;
  }
}
