import { orphan, type StoreProblem } from '../../../domain/maintenance/problems.ts';
import { oldUploads, removeUploads } from '../blobs/blob-orphans.ts';
import { blobPlaces, buckets } from '../blobs/blob-places.ts';
import type { Database } from '../database.ts';
import { forgetImport, oldImports } from '../graphs/import-orphans.ts';

/** Uploads and imports that are too old to be in progress in another process. */
export async function* fsckOrphans(database: Database, repair: boolean): AsyncGenerator<StoreProblem> {
  const now = database.now();
  for (const bucket of buckets) {
    const places = blobPlaces(database, bucket);
    for await (const { cutOff } of oldUploads(places, now)) {
      if (repair) await removeUploads(places, cutOff);
      for (const id of cutOff) yield orphan('upload', `${bucket} ${id}`, 'It was interrupted', repair);
    }
  }
  for (const { _id, importing } of await oldImports(database, now)) {
    if (repair) await forgetImport(database, _id);
    const problem = `Nothing was added to it since ${importing.toISOString()}`;
    yield orphan('import', `key ${_id}`, problem, repair);
  }
}
