import type { Spool } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';
import { PackedRows } from '../statements/packed-rows.ts';

const lengthBytes = 8;

export type RowSpool = ReturnType<typeof rowSpool>;

/** Rows on disk between the pass that verifies them and the one that stores them. */
export function rowSpool(spool: Spool) {
  return {
    async write(rows: readonly StatementRow[]): Promise<void> {
      if (rows.length === 0) return;
      for (const { rest, bytes } of PackedRows.of(rows).slices) {
        const text = Buffer.from(rest);
        const lengths = Buffer.alloc(lengthBytes);
        lengths.writeUInt32LE(text.length, 0);
        lengths.writeUInt32LE(bytes.length, 4);
        await spool.write(Buffer.concat([lengths, text, bytes]));
      }
    },

    async *groups(): AsyncGenerator<PackedRows> {
      for (let at = 0; at < spool.size; ) {
        const lengths = Buffer.from(await spool.read(at, lengthBytes));
        const [textLength, length] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
        at += lengthBytes;
        const rest = Buffer.from(await spool.read(at, textLength)).toString();
        const bytes = await spool.read(at + textLength, length);
        at += textLength + length;
        yield new PackedRows([{ bytes, rest }]);
      }
    },
  };
}
