import { orphan, type StoreProblem } from '../../../domain/maintenance/problems.ts';
import { bucketFiles, bucketNames } from '../buckets/bucket-files.ts';
import { oldUploads, removeUploads } from '../buckets/interrupted-uploads.ts';
import type { Database } from '../database.ts';
import { forgetImport, oldImports } from '../graphs/import-orphans.ts';

/** Uploads and imports that are too old to be in progress in another process. */
export async function* fsckOrphans(database: Database, repair: boolean): AsyncGenerator<StoreProblem> {
  const now = database.now();
  for (const name of bucketNames) {
    const bucket = bucketFiles(database, name);
    for await (const { cutOff } of oldUploads(bucket, now)) {
      if (repair) await removeUploads(bucket, cutOff);
      for (const id of cutOff) yield orphan('upload', `${name} ${id}`, 'It was interrupted', repair);
    }
  }
  for (const { _id, importing } of await oldImports(database, now)) {
    if (repair) await forgetImport(database, _id);
    const problem = `Nothing was added to it since ${importing.toISOString()}`;
    yield orphan('import', `key ${_id}`, problem, repair);
  }
}
