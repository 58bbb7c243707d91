import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Writes over the first page of a table, whatever the layout of the database of a data folder. */
export async function damageTable(folder: string, table: string): Promise<void> {
  const file = join(folder, 'cairn.db');
  const database = new DatabaseSync(file);
  const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() ?? {};
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  await using handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(64, 0xff), 0, 64, (Number(found?.rootpage) - 1) * Number(pageSize));
}
