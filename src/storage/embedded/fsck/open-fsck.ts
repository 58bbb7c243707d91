import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { collections } from '../../../domain/collections/all.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { countInGraph } from '../../../domain/integrity/statements/contents.ts';
import type { StoreCheck } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { StoreHistory } from '../../../domain/maintenance/migration/ports.ts';
import { blobPlacesIn } from '../blobs/blob-places.ts';
import { hasTables } from '../collections/tables.ts';
import { openReader, openWriter } from '../connections.ts';
import { lockFolder } from '../data-folder.ts';
import { reading, startError } from '../errors.ts';
import { demandSchema } from '../schema.ts';
import { memberships, statementsInOrder } from '../statements/history.ts';
import { embeddedRows } from '../statements/rows.ts';
import { fsckAttachments } from './attachments.ts';
import { embeddedContents } from './contents.ts';
import { fsckDatabase } from './database.ts';
import { derivedData } from './derived.ts';
import { fsckOrphans } from './orphans.ts';
import { statementRewriting } from './statements.ts';

/**
 * Opens the store of a data folder as it stands, for this process alone: nothing in it is made, repaired or removed by
 * that.
 * @throws ServiceError a sentence that names the folder and what to do; `not_found` when it has no store.
 */
export async function openEmbeddedCheck(folder: string): Promise<StoreCheck & StoreHistory> {
  using opened = new DisposableStack();
  const file = join(folder, 'cairn.db');
  if (!existsSync(file)) refuseNothing(folder);
  try {
    opened.use(lockFolder(folder));
    const writer = openWriter(file);
    opened.defer(() => writer.close());
    demandSchema(writer, folder);
    if (!hasTables(writer, collections)) refuseOlder(folder);
    const reader = openReader(file);
    opened.defer(() => reader.close());
    const places = blobPlacesIn(folder);
    const contents = embeddedContents(reader, places);
    const rewrite = statementRewriting(writer);
    const derived = derivedData(writer);
    const rows = {
      verified: embeddedRows(reader, 'verified'),
      unverified: embeddedRows(reader, 'unverified'),
    };
    const stack = opened.move();
    return {
      ...contents,
      place: `the data folder ${folder}`,
      database: (repair) => reading(() => fsckDatabase(writer, repair)),
      rewrite,
      indexes: (repair) =>
        reading(async function* () {
          yield* fsckAttachments(reader);
          const problems = await Array.fromAsync(derived.check());
          if (repair && problems.length > 0) await derived.rebuild();
          for (const { what, id, problem } of problems) yield repairable(what, id, problem, repair);
        }),
      statementsInOrder: (after) => reading(() => statementsInOrder(reader, after)),
      memberships: async () => memberships(reader),
      graphContents: { count: (graphId, jcsCids) => countInGraph(rows, graphId, jcsCids) },
      orphans: (repair) => reading(() => fsckOrphans(places, writer, repair)),
      [Symbol.asyncDispose]: async () => stack.dispose(),
    };
  } catch (error) {
    throw startError(error, folder);
  }
}

function refuseOlder(folder: string): never {
  const message = `The data folder ${folder} was written by an older Cairn. Start this version on it once with "cairn serve".`;
  throw new ServiceError('unavailable', message);
}

function refuseNothing(folder: string): never {
  throw new ServiceError('not_found', `There is no store in ${folder}. Name its folder with CAIRN_DATA_DIR.`);
}
