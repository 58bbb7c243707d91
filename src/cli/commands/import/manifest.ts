import { stat } from 'node:fs/promises';
import type z from 'zod';
import { importedManifest } from '../../../contract/integrity/manifests.ts';
import { parseUuid } from '../../../domain/integrity/identifiers/identifiers.ts';
import type { ManifestForm } from '../../../domain/integrity/manifest/carrier.ts';
import { answerJson, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { graphIdOf } from '../../client/graphs.ts';
import { fileChunks } from '../../client/local-files.ts';
import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/output.ts';
import { openProgress } from '../../terminal/progress.ts';

export interface ManifestFlags {
  readonly graph?: string;
  readonly name?: string;
  readonly parent?: string;
  readonly json?: true;
}

/** Registers the content of a manifest in a new graph. */
export async function importManifest(
  io: Io,
  path: string,
  form: ManifestForm,
  flags: ManifestFlags,
): Promise<void> {
  const client = openClient(readClientSettings(io));
  const graphId = flags.graph === undefined ? crypto.randomUUID() : parseUuid(flags.graph, '--graph');
  const query = new URLSearchParams({
    graph_id: graphId,
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.parent !== undefined && { parent_id: await graphIdOf(client, flags.parent) }),
  });
  const { size } = await stat(path);
  const type = form === 'car' ? 'application/vnd.ipld.car' : 'application/json';
  using progress = openProgress(io, { total: size });
  progress.log(
    `Importing into the graph ${graphId}. After an interruption, repeat it with --graph ${graphId}.`,
  );
  const response = await client.send('POST', `/manifest/v1?${query}`, {
    headers: { 'content-type': type, 'content-length': String(size) },
    body: () => counted(path, (done) => progress.update(done, `${(done / 2 ** 20).toFixed(1)} MiB sent`)),
  });
  const answer = await answerJson(response, importedManifest);
  await writeText(io, flags.json ? `${JSON.stringify(answer)}\n` : report(answer));
}

async function* counted(path: string, onBytes: (done: number) => void): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of fileChunks(path)) {
    done += chunk.length;
    yield chunk;
    onBytes(done);
  }
}

function report(answer: z.output<typeof importedManifest>): string {
  const { graph_id, statements, blobs, contexts, unverified_contexts: unverified } = answer;
  const lines = [
    `graph       ${graph_id}`,
    `statements  ${statements.stored} stored, ${statements.known} known`,
    `blobs       ${blobs.stored} stored, ${blobs.known} known`,
    `contexts    ${contexts}${unverified.length > 0 ? `, unverified: ${unverified.join(', ')}` : ''}`,
  ];
  return `${lines.join('\n')}\n`;
}
