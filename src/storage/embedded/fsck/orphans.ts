import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { orphan, type StoreProblem } from '../../../domain/maintenance/problems.ts';
import { stagingIn } from '../buckets/folder-bucket.ts';
import { isMissingFile } from '../errors.ts';
import { graphImportWrites } from '../graphs/graph-import-writes.ts';
import { sortWrites } from '../statements/row-writes.ts';

/** No other process uses this folder, so everything unfinished is an orphan. */
export async function* fsckOrphans(
  dataDir: string,
  writer: DatabaseSync,
  repair: boolean,
): AsyncGenerator<StoreProblem> {
  const staging = stagingIn(dataDir);
  for (const name of await stagedNames(staging)) {
    if (repair) await rm(join(staging, name), { recursive: true, force: true });
    yield orphan('upload', name, 'It was interrupted', repair);
  }
  const imports = writer.prepare('SELECT id, statements FROM graph_imports').all();
  for (const { id, statements } of imports) {
    if (repair) forget(writer, Number(id));
    yield orphan('import', `number ${id}`, `It was interrupted after ${statements} statements`, repair);
  }
}

async function stagedNames(staging: string): Promise<string[]> {
  try {
    return await readdir(staging);
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

function forget(writer: DatabaseSync, id: number): void {
  const { forgetImport } = graphImportWrites(writer, sortWrites(writer));
  for (let isDone = false; !isDone; ) {
    writer.exec('BEGIN IMMEDIATE');
    isDone = forgetImport({ id });
    writer.exec('COMMIT');
  }
}
