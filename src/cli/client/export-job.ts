import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type ManifestExportAnswer, manifestExport } from '../../contract/integrity/manifests.ts';
import { exitCodes, Failure, failNo } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { type ApiClient, ApiRefusal, answerJson } from './api-client.ts';
import { download } from './download.ts';
import type { StateFile } from './state-file.ts';

/** The state of an export between runs: the URL of its job. */
export const exportMemory = z.object({ location: z.string() });

export interface ExportRequest {
  readonly path: string;
  readonly accept: string;
  readonly state: StateFile<typeof exportMemory>;
  readonly mayResume: boolean;
  /** @throws Failure if the finished export should not be downloaded. */
  readonly assertContent: (made: ManifestExportAnswer) => void;
}

const pollMs = 250;

/** Exports a manifest with a job of the service and downloads it. Resumes an interrupted run of the same command. */
export async function exportByJob(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  request: ExportRequest,
  output: string,
): Promise<ManifestExportAnswer> {
  const known = request.mayResume ? await remembered(io, client, request.state) : undefined;
  const location = known ?? (await begin(client, request));
  const made = await finished(io, client, location, request).catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === exitCodes.no) request.state.remove();
    throw error;
  });
  const { result: path, digest } = made;
  if (!path || !digest) failNo('The service did not say where the manifest is. Try again.');
  const expected = { path, tag: digest, multihash: 'blake3', digest: Buffer.from(digest, 'hex') } as const;
  await download(io, client, expected, output);
  request.state.remove();
  // Otherwise the service removes it after a day.
  await client.send('DELETE', location, { once: true }).catch(() => undefined);
  return made;
}

async function remembered(io: Pick<Io, 'stderr'>, client: ApiClient, state: ExportRequest['state']) {
  const location = state.read()?.location;
  if (location === undefined) return undefined;
  try {
    const { created_at: begun } = await read(client, location);
    const notice = `Resuming the export from ${begun}. It may lack statements that were stored since then.`;
    say(io, `${notice} (--restart starts a new export.)`);
    return location;
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

async function begin(client: ApiClient, { path, accept, state }: ExportRequest): Promise<string> {
  const response = await client.send('GET', path, { headers: { accept, prefer: 'respond-async' } });
  const location = response.headers.get('location');
  await response.body?.cancel();
  const problem = `${client.url} did not answer like a Cairn service. Check CAIRN_URL.`;
  if (response.status !== 202 || !location?.startsWith('/'))
    throw new Failure(exitCodes.unreachable, problem);
  state.write({ location });
  return location;
}

async function finished(io: Pick<Io, 'stderr'>, client: ApiClient, location: string, request: ExportRequest) {
  using progress = openProgress(io, { total: undefined });
  for (;;) {
    const found = await read(client, location);
    if (found.state === 'done') {
      request.assertContent(found);
      return found;
    }
    if (found.state === 'failed')
      failNo(`The export has failed: ${found.error?.error ?? 'the service gave no reason'}`);
    progress.update(found.statements, noteOf(found));
    await delay(pollMs);
  }
}

async function read(client: ApiClient, location: string): Promise<ManifestExportAnswer> {
  return await answerJson(await client.send('GET', location), manifestExport);
}

function noteOf({ state, statements, bytes, error }: ManifestExportAnswer): string {
  if (state === 'waiting') return error ? `waiting for a retry: ${error.error}` : 'waiting to start';
  const written = bytes > 0 ? `, ${(bytes / 2 ** 20).toFixed(1)} MiB written` : '';
  return `${statements.toLocaleString('en')} statements gathered${written}`;
}
