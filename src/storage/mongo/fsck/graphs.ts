import { ObjectId } from 'mongodb';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost } from '../../../domain/maintenance/fsck/problems.ts';
import type { Database } from '../database.ts';
import { attachmentCollection } from '../graphs/graph-attachments.ts';
import { graphCollection, isRegistered } from '../graphs/graph-documents.ts';
import { pagesByKey } from './pages.ts';

const advice = 'Restore the database from a backup.';
const pageAttachments = 10;

/** Documents that are neither registered graphs nor imports. Nobody finds them, but statements may be in them. */
export async function* fsckGraphIds(database: Database): AsyncGenerator<StoreProblem> {
  const nameless = graphCollection(database).find({
    ...isRegistered,
    graphId: { $not: { $type: 'string' } },
  });
  for await (const { _id } of nameless) yield lost('graph', `key ${_id}`, 'It has lost its id', advice);
}

/** Attachments of graphs that are neither registered nor being imported. */
export async function* fsckAttachments(database: Database): AsyncGenerator<StoreProblem> {
  const attachments = attachmentCollection(database);
  const options = { first: ObjectId.createFromTime(0), limit: pageAttachments };
  for await (const page of pagesByKey(attachments, options)) {
    for (const { _id, graph } of page) {
      // Attachments are removed before their graph, so they are looked for again after it.
      if (await graphCollection(database).findOne({ _id: graph })) continue;
      if (!(await attachments.findOne({ _id }))) continue;
      const problem = `It belongs to a graph with the key ${graph}, which does not exist`;
      yield lost('attachment', String(_id), problem, advice);
    }
  }
}
