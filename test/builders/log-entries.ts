import { expect } from 'vitest';
import type { ReadRecordStore } from '../../src/domain/collections/collection.ts';
import { leafHash } from '../../src/domain/log/merkle/hashing.ts';
import { rootAt } from '../../src/domain/log/merkle/proofs.ts';
import { rootOf } from '../../src/domain/log/merkle/range.ts';
import { tileWidth } from '../../src/domain/log/merkle/tiles.ts';
import { logNames } from '../../src/domain/log/names.ts';
import type { LoggedRows } from '../../src/domain/log/ports.ts';
import { logReading } from '../../src/domain/log/reading.ts';
import { logRecords } from '../../src/domain/log/records.ts';

/** The entries of a log in hex, whose tiles and heads are compared with them. */
export async function entriesOfLog(
  store: ReadRecordStore & { readonly loggedRows: LoggedRows },
  log: string,
): Promise<string[]> {
  const records = logRecords(store);
  const reading = logReading(records, store.loggedRows);
  const size = (await records.logs.get(log))?.size ?? 0;
  const entries: Uint8Array[] = [];
  for (let index = 0; index * tileWidth < size; index += 1) {
    const width = Math.min(tileWidth, size - index * tileWidth);
    entries.push(...(await reading.entries(log, { index, width })));
  }
  const root = Buffer.from(rootOf(entries.map(leafHash)));
  expect(await rootAt(reading.tiles(log), size)).toEqual(root);
  const service = (await records.logs.get(logNames.service))?.size ?? 0;
  if (size > 0 && log !== logNames.service) {
    const head = await reading.headAt(log, service);
    expect([head?.size, head?.root]).toEqual([size, root.toString('base64')]);
  }
  return entries.map((entry) => Buffer.from(entry).toString('hex'));
}
