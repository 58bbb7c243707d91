import type { Bucket } from '../../bucket.ts';
import type { Records } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { comparedBytes } from '../../integrity/blobs/blob-store.ts';
import { type Cid, cidIn, cidOf, codecs, parseCid } from '../../integrity/identifiers/cid.ts';
import { insertOnce, type Sent } from './batch.ts';
import type { GatewayPorts } from './ports.ts';
import type { SealedPart } from './runtime-records.ts';
import type { Bytes } from './sent-bytes.ts';

export type PackedPart = Omit<SealedPart, 'name'>;

/**
 * The bodies and blobs of one request, which are stored together as one content. So a request costs one file, and a
 * crash leaves all of it or nothing.
 */
export class SealedPack {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** @param cid the CID of the bytes. */
  add(bytes: Uint8Array, cid: Cid): PackedPart {
    const part = { offset: this.#size, size: bytes.length, cid: cid.text };
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    return part;
  }

  /**
   * Stores the pack under a new name, durable when it resolves.
   * @param id a UUID of version 7, whose time tells how old a pack without records is.
   */
  async store(contents: Pick<Bucket, 'stage'>, id: string): Promise<string> {
    const bytes = Buffer.concat(this.#chunks);
    const name = `${id}.${cidOf(codecs.raw, bytes).text}`;
    const staged = await contents.stage();
    try {
      await staged.write(bytes);
      await staged.commit(name);
      return name;
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }
}

/** The CID of a whole pack; undefined if it is not the name of one. */
export function cidOfPack(name: string): Cid | undefined {
  return cidIn(name.slice(name.indexOf('.') + 1));
}

/** Milliseconds since 1970; NaN if it is not the name of a pack. */
export function timeOfPack(name: string): number {
  return Number.parseInt(`${name.slice(0, 8)}${name.slice(9, 13)}`, 16);
}

/** Reads the bytes of a record, and compares them with their CID. @throws ServiceError `damaged`. */
export async function readSealed(
  contents: Pick<Bucket, 'read'>,
  { name, offset, size, cid }: SealedPart,
): Promise<Uint8Array> {
  if (size === 0) return new Uint8Array();
  await using content = await contents.read(name, { first: offset, last: offset + size - 1 });
  if (!content) throw new ServiceError('damaged', `The sealed content ${name} is missing.`);
  return Buffer.concat(await Array.fromAsync(comparedBytes(parseCid(cid), content.bytes)));
}

type Parts = readonly (SealedPart | null)[];

/**
 * Stores new records, after their bytes in one pack. A crash in between leaves the pack as an orphan.
 * @param make makes a record with the places of its bytes.
 * @returns the stored records in order. @throws ServiceError as `insertOnce`.
 */
export async function insertSealed<
  Item extends Sent & { readonly pack: string | null },
  One extends Sent & { readonly bytes: readonly (Bytes | null)[] },
>(
  records: Pick<Records<Item, 'bySource'>, 'among' | 'insert'>,
  { sealedContents, newId }: Pick<GatewayPorts, 'sealedContents' | 'newId'>,
  sent: readonly One[],
  make: (one: One, parts: Parts) => Item,
): Promise<Item[]> {
  let pack: string | null = null;
  const stored = await insertOnce(records, 'bySource', sent, async (fresh) => {
    const packing = new SealedPack();
    const places = fresh.map((one) => one.bytes.map((bytes) => bytes && packing.add(bytes.bytes, bytes.cid)));
    const name = packing.isEmpty ? '' : await packing.store(sealedContents, newId());
    pack = name || null;
    return fresh.map((one, at) =>
      make(
        one,
        (places[at] ?? []).map((place) => place && { ...place, name }),
      ),
    );
  });
  // Another request has stored all of these meanwhile.
  if (pack !== null && !stored.some((item) => item.pack === pack)) await sealedContents.remove(pack);
  return stored;
}
