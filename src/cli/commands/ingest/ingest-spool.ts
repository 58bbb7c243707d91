import { rm } from 'node:fs/promises';
import { type ApiClient, ApiRefusal } from '../../client/api-client.ts';
import { readSpooled, spooledFolders } from '../../record/spool.ts';
import { storeParcel } from '../../record/store.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { say } from '../../terminal/say.ts';
import { writeText } from '../../terminal/write-out.ts';
import { repeating } from './repeating.ts';

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
export async function ingestSpool(
  io: Io,
  client: ApiClient,
  spool: string,
  flags: SpoolFlags,
): Promise<void> {
  const stop = io.stopSignal();
  const repeat = repeating((sentence) => say(io, sentence));
  let refused = 0;
  for (const folder of await spooledFolders(spool)) {
    if (stop.aborted) failNo('Stopped. Run the same command again to send the rest.');
    const { name, parcel } = await readSpooled(folder);
    const graphId = flags.replacesGraph ? flags.graphId : (parcel.graphId ?? flags.graphId);
    try {
      const isNew = await repeat(() => storeParcel(io, client, { ...parcel, graphId }));
      if (flags.deleteSent) await rm(folder, { recursive: true });
      const count = parcel.statements.length;
      const sent = { name, folder, graph_id: graphId, statements: count, state: isNew ? 'stored' : 'known' };
      const text = `${name}: ${count} statements ${sent.state}`;
      await writeText(io, flags.asJson ? `${JSON.stringify({ sent })}\n` : `${text.replaceAll('\n', ' ')}\n`);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.exitCode !== 1) throw error;
      refused += 1;
      say(io, `${folder} was refused: ${error.message}`);
    }
  }
  if (refused > 0) failNo(`${refused} recordings were refused. They are kept.`);
}
