import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { counted } from '../../../contract/words/text.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { pathKind } from '../../client/local-files.ts';
import { readSpooled, spooledFolders } from '../../record/spool.ts';
import { storeParcel } from '../../record/store.ts';
import { exitCodes, Failure, failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeText } from '../../terminal/output.ts';
import { repeating } from './send-batch.ts';

export interface SpoolFlags {
  /** For recordings without a graph. */
  readonly graphId: string | null;
  /** Whether recordings with another graph get this one too. */
  readonly replacesGraph: boolean;
  readonly deleteSent: boolean;
  readonly asJson: boolean;
}

/**
 * Sends the recordings of a spool, oldest first. What the service has is not stored again, so an interrupted run can be
 * repeated.
 */
export async function ingestSpool(io: Io, client: ApiClient, spool: string, flags: SpoolFlags) {
  const stop = io.stopSignal();
  const repeat = repeating((sentence) => say(io, sentence));
  let kept = 0;
  const folders = await spooledFolders(spool);
  if (folders.length === 0) say(io, `${spool} has no recordings.`);
  for (const folder of folders) {
    if (stop.aborted) failNo('Stopped. Run the same command again to send the rest.');
    try {
      const { name, parcel } = await readSpooled(folder);
      const graphId = flags.replacesGraph ? flags.graphId : (parcel.graphId ?? flags.graphId);
      const isNew = await repeat(() => storeParcel(io, client, { ...parcel, graphId }));
      if (flags.deleteSent) await remove(folder);
      const count = parcel.statements.length;
      const sent = { name, folder, graph_id: graphId, statements: count, state: isNew ? 'stored' : 'known' };
      const text = `${printableLine(name)}: ${counted(count, 'statement')} ${sent.state}`;
      await writeText(io, flags.asJson ? `${JSON.stringify({ sent })}\n` : `${text}\n`);
    } catch (error) {
      if ((await pathKind(folder)) === undefined) {
        say(io, `${folder} was deleted by another "cairn ingest".`);
        continue;
      }
      if (!(error instanceof Failure) || error.exitCode !== exitCodes.no) throw error;
      kept += 1;
      say(io, `${folder} was not sent: ${error.message}`);
    }
  }
  if (kept > 0) failNo(`Recordings that were not sent and are kept: ${kept}.`);
}

/** Renames first, so that a kill leaves no half recording that looks like a whole one. */
async function remove(folder: string): Promise<void> {
  const removed = join(dirname(folder), `.${basename(folder)}`);
  await rename(folder, removed);
  await rm(removed, { recursive: true });
}
