import { basename, join } from 'node:path';
import { openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { ownKey } from '../../client/own-key.ts';
import { relativeName } from '../../model/model-files.ts';
import type { Recorded } from '../../record/record-types.d.ts';
import { recordRun } from '../../record/recording.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { type ImportedFile, importFile } from '../import/evidence.ts';

export interface SigningPlaces {
  /** As the user named it, and where it is. */
  readonly model: string;
  readonly root: string;
  readonly signature: string;
  readonly graph: string | undefined;
}

export interface RecordedSigning<Signed> {
  readonly signed: Signed;
  readonly run: Recorded;
  readonly imported: ImportedFile;
}

/** Signs as a recorded run, which stores the model, and imports the signature, which is then about the stored model. */
export async function recordSigning<Signed>(
  io: Io,
  { model, root, signature, graph }: SigningPlaces,
  sign: () => Promise<Signed>,
): Promise<RecordedSigning<Signed>> {
  if (relativeName(root, signature) !== undefined)
    failUsage(
      `The signature ${signature} would change the folder that is recorded. Name a place beside it: --signature ${join(root, '..', `${basename(root)}.sig`)}`,
    );
  const recording = {
    name: `sign ${basename(root)}`,
    ...{ inputs: [model], outputs: [signature], command: null, metadata: {}, graph },
  };
  let signed: Signed | undefined;
  const { recorded } = await recordRun(io, recording, async () => {
    signed = await sign();
    return {};
  });
  const { did } = await ownKey(io);
  const client = openClient(readClientSettings(io));
  const to = { client, graphId: recorded.graph, registeredBy: did, asJson: false };
  const imported = await importFile(signature, to);
  if ('error' in imported) failNo(`The signature is recorded, but not imported. ${imported.error}`);
  return { signed: signed as Signed, run: recorded, imported };
}
