import { LRUCache } from 'lru-cache';
import type { Bill, ReadBill } from './read-bill.ts';

const mostBytes = 64 << 20;
/** Of an entry beside its text. */
const overhead = 200;

/**
 * Reads each file once, because whatever comes to a cluster is checked again and again. What a file lists is kept as text, which takes
 * a fraction of the memory of objects.
 */
export function remembering(read: ReadBill): ReadBill {
  const kept = new LRUCache<string, string>({
    maxSize: mostBytes,
    sizeCalculation: (text) => text.length + overhead,
  });
  return async (file, bytes) => {
    const known = kept.get(file.text);
    if (known !== undefined) return (JSON.parse(known) as Bill | null) ?? undefined;
    const bill = await read(file, bytes);
    kept.set(file.text, JSON.stringify(bill ?? null));
    return bill;
  };
}
