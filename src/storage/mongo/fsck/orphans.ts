import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost, orphan } from '../../../domain/maintenance/fsck/problems.ts';
import { oldUploads, removeUploads } from '../blobs/blob-orphans.ts';
import { blobPlaces } from '../blobs/blob-places.ts';
import type { Database } from '../database.ts';
import { forgetImport, oldImports } from '../graphs/import-orphans.ts';

/** Files of results without a name: nobody can ask for them. */
export async function* fsckResultNames(database: Database): AsyncGenerator<StoreProblem> {
  const { files } = blobPlaces(database, 'exports');
  for await (const { _id } of files.find({ filename: { $not: { $type: 'string' } } }))
    yield lost('result', String(_id), 'Its file has no name', 'Remove it from the bucket "exports".');
}

/** What is too old to be going on in another process. */
export async function* fsckOrphans(database: Database, repair: boolean): AsyncGenerator<StoreProblem> {
  const now = database.now();
  for (const bucket of ['blobs', 'exports'] as const) {
    const places = blobPlaces(database, bucket);
    for await (const { cutOff } of oldUploads(places, now)) {
      if (repair) await removeUploads(places, cutOff);
      for (const id of cutOff) yield orphan('upload', `${bucket} ${id}`, 'It was cut off', repair);
    }
  }
  for (const { _id, importing } of await oldImports(database, now)) {
    if (repair) await forgetImport(database, _id);
    const problem = `Nothing was added to it since ${importing.toISOString()}`;
    yield orphan('import', `key ${_id}`, problem, repair);
  }
}
