import type { Records } from '../../collections/records.ts';
import { insertOnce, type Sent } from './batch.ts';
import type { GatewayPorts } from './ports.ts';
import { SealedPack } from './sealed-contents.ts';
import type { SealedPart } from './sealed-part.ts';
import type { Bytes } from './sent-bytes.ts';

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
