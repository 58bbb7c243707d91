import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../../domain/errors.ts';
import type { StoreAudit } from '../../../domain/maintenance/fsck/ports.ts';
import type { StoreHistory } from '../../../domain/maintenance/migration/ports.ts';
import { blobPlacesIn } from '../blobs/blob-places.ts';
import { openReader, openWriter } from '../connections.ts';
import { lockFolder } from '../data-folder.ts';
import { reading, startFault } from '../errors.ts';
import { EmbeddedGraphContents } from '../graphs/graph-contents.ts';
import { demandNewest } from '../schema.ts';
import { memberships, statementsInOrder } from '../statements/history.ts';
import { embeddedContents } from './contents.ts';
import { auditDatabase } from './database.ts';
import { auditDuplicates } from './duplicates.ts';
import { auditedEntries, auditedGraphOrder } from './entries.ts';
import { auditIndex } from './index.ts';
import { auditMemberships } from './memberships.ts';
import { auditLeftovers } from './orphans.ts';
import { statementRewriting } from './statements.ts';
import { auditTimes } from './times.ts';

/**
 * Opens the store of a data folder as it stands, for this process alone: nothing in it is made, mended or removed by
 * that.
 * @throws ServiceError a sentence that names the folder and what to do; `not_found` when it has no store.
 */
export async function openEmbeddedAudit(folder: string): Promise<StoreAudit & StoreHistory> {
  using opened = new DisposableStack();
  const file = join(folder, 'cairn.db');
  if (!existsSync(file)) refuseNothing(folder);
  try {
    opened.use(lockFolder(folder));
    const writer = openWriter(file);
    opened.defer(() => writer.close());
    demandNewest(writer, folder);
    const reader = openReader(file);
    opened.defer(() => reader.close());
    const places = blobPlacesIn(folder);
    const contents = embeddedContents(reader, places);
    const rewrite = statementRewriting(writer);
    const stack = opened.move();
    return {
      ...contents,
      place: `the data folder ${folder}`,
      database: (repair) => reading(() => auditDatabase(writer, repair)),
      rewrite,
      indexes: (repair, onRows) =>
        reading(function* () {
          yield* auditDuplicates(reader, writer, repair);
          yield* auditMemberships(reader, writer, repair);
          yield* auditTimes(reader, writer, repair, () => undefined);
          yield* auditIndex(reader, writer, auditedGraphOrder(reader), repair, () => undefined);
          yield* auditIndex(reader, writer, auditedEntries(reader, writer, repair), repair, onRows);
        }),
      statementsInOrder: (after) => reading(() => statementsInOrder(reader, after)),
      memberships: async () => memberships(reader),
      graphContents: new EmbeddedGraphContents({ reader }),
      leftovers: (repair) => reading(() => auditLeftovers(places, writer, repair)),
      [Symbol.asyncDispose]: async () => stack.dispose(),
    };
  } catch (error) {
    throw startFault(error, folder);
  }
}

function refuseNothing(folder: string): never {
  throw new ServiceError('not_found', `There is no store in ${folder}. Name its folder with CAIRN_DATA_DIR.`);
}
