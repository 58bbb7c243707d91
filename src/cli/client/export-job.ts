import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { exitCodes, Failure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { openProgress } from '../terminal/progress.ts';
import { type ApiClient, ApiRefusal, answerJson } from './api-client.ts';
import { download } from './download.ts';
import type { StateFile } from './state-file.ts';

/** What is remembered of an export from one run to the next: where the service tells how far it is. */
export const exportMemory = z.object({ location: z.string() });

const exportState = z.object({
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  created_at: z.string(),
  statements: z.int(),
  bytes: z.int(),
  missing_blobs: z.object({ count: z.int() }).nullable(),
  left_out_statements: z.int(),
  result: z.string().nullable(),
  digest: z.hex().nullable(),
  error: z.object({ error: z.string() }).nullable(),
});

export type ExportState = z.output<typeof exportState>;

export interface ExportWanted {
  /** Of the export, with its query. */
  readonly path: string;
  readonly accept: string;
  readonly state: StateFile<typeof exportMemory>;
  /** Whether to go on with what an earlier run has begun. */
  readonly mayResume: boolean;
}

const askEveryMs = 250;

/** Has the service make a manifest, and fetches it: from where an earlier run of the same command was interrupted. */
export async function exportByJob(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  wanted: ExportWanted,
  output: string,
): Promise<ExportState> {
  const known = wanted.mayResume ? await remembered(io, client, wanted.state) : undefined;
  const location = known ?? (await begin(client, wanted));
  const made = await finished(io, client, location).catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === exitCodes.no) wanted.state.remove();
    throw error;
  });
  const { result: path, digest } = made;
  if (!path || !digest) throw new Failure(exitCodes.no, 'The service says nothing of the manifest it made.');
  await download(
    io,
    client,
    { path, tag: digest, multihash: 'blake3', digest: Buffer.from(digest, 'hex') },
    output,
  );
  wanted.state.remove();
  // The service forgets it by itself otherwise, a day later.
  await client.send('DELETE', location, { once: true }).catch(() => undefined);
  return made;
}

/** Where an export is that was begun earlier and is still there. */
async function remembered(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  state: ExportWanted['state'],
): Promise<string | undefined> {
  const location = state.read()?.location;
  if (location === undefined) return undefined;
  try {
    const { created_at: begun } = await read(client, location);
    io.stderr.write(printable(howOld(begun)));
    return location;
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

function howOld(begun: string): string {
  return `Going on with the export that was begun at ${begun}: what was stored after that may be missing in it. (--restart makes a new one.)\n`;
}

async function begin(client: ApiClient, { path, accept, state }: ExportWanted): Promise<string> {
  const response = await client.send('GET', path, { headers: { accept, prefer: 'respond-async' } });
  const location = response.headers.get('location');
  await response.body?.cancel();
  if (response.status !== 202 || !location?.startsWith('/')) {
    const message = `${client.url} did not answer as a Cairn service does. Is CAIRN_URL right?`;
    throw new Failure(exitCodes.unreachable, message);
  }
  state.write({ location });
  return location;
}

async function finished(io: Pick<Io, 'stderr'>, client: ApiClient, location: string): Promise<ExportState> {
  using progress = openProgress(io, { total: undefined });
  for (;;) {
    const found = await read(client, location);
    if (found.state === 'done') return found;
    if (found.state === 'failed')
      throw new Failure(exitCodes.no, `The export has failed: ${found.error?.error ?? 'nobody says why'}`);
    progress.update(found.statements, noteOf(found));
    await delay(askEveryMs);
  }
}

async function read(client: ApiClient, location: string): Promise<ExportState> {
  return await answerJson(await client.send('GET', location), exportState);
}

function noteOf({ state, statements, bytes, error }: ExportState): string {
  if (state === 'waiting')
    return error ? `waiting to be tried again: ${error.error}` : 'waiting for its turn';
  const written = bytes > 0 ? `, ${(bytes / 2 ** 20).toFixed(1)} MiB written` : '';
  return `${statements.toLocaleString('en')} statements gathered${written}`;
}
