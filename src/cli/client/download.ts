import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Cid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../domain/integrity/identifiers/hashing.ts';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';
import { type ApiClient, ApiRefusal, answerBytes } from './api-client.ts';
import { fileChunks, pathKind } from './local-files.ts';

type Stderr = Pick<Io, 'stderr'>;

/** Bytes of a service, and how to know them. */
export interface Wanted {
  readonly path: string;
  /** Their strong entity tag, without quotes. */
  readonly tag: string;
  readonly multihash: MultihashName;
  readonly digest: Uint8Array;
}

export function wantedContent(cid: Cid): Wanted {
  const { text: tag, multihash, digest } = cid;
  return { path: `/store/v1/blob/${tag}`, tag, multihash, digest };
}

/**
 * The file that a path names, at the end of links.
 * @throws Failure (usage) where no file can appear in one step: a folder, or a pipe or device, which would be gone.
 */
export async function fileToWrite(path: string): Promise<string> {
  if (path === '') failUsage('The name of the file is empty.');
  const kind = await pathKind(path);
  if (kind === 'folder') failUsage(`${path} is a folder. Name a file.`);
  if (kind === 'stream') failUsage(`${path} is no file. Name one, or - for standard output.`);
  return kind === 'file' ? await realpath(path) : path;
}

/**
 * Writes bytes to a file, which appears only when they are complete and right. Until then they stand beside it,
 * from where an interrupted download goes on.
 * @throws Failure when the bytes do not have their digest; nothing is left then.
 */
export async function download(io: Stderr, client: ApiClient, wanted: Wanted, file: string): Promise<void> {
  const part = `${file}.${wanted.tag.slice(-12)}.part`;
  const had = await sizeOf(part);
  let isRight = await receive(io, client, wanted, part, had);
  // What was there may have been damaged: it gets no second chance to spoil the rest.
  if (!isRight && had > 0) isRight = await receive(io, client, wanted, part, 0);
  if (!isRight) {
    await rm(part, { force: true });
    const reason = `The service sent other bytes than those of ${wanted.tag}.`;
    throw new Failure(exitCodes.no, `${reason} Nothing was written to ${file}.`);
  }
  await rename(part, file);
}

/** Whether the bytes turn out to be those that were wanted. */
async function receive(
  io: Stderr,
  client: ApiClient,
  wanted: Wanted,
  part: string,
  had: number,
): Promise<boolean> {
  const response = await request(client, wanted, had);
  const start = response?.status === 206 ? had : 0;
  const hash = hasher(wanted.multihash);
  if (start > 0 || !response) for await (const chunk of fileChunks(part)) hash.update(chunk);
  if (response) await append(io, response, part, start, (chunk) => hash.update(chunk));
  return Buffer.compare(hash.digest(), wanted.digest) === 0;
}

/** @returns undefined when there is nothing after the bytes that are here. */
async function request(client: ApiClient, { path, tag }: Wanted, had: number): Promise<Response | undefined> {
  const resuming = had > 0 && { range: `bytes=${had}-`, 'if-range': `"${tag}"` };
  const headers = { 'accept-encoding': 'identity', ...resuming };
  try {
    return await client.send('GET', path, { headers });
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 416) return undefined;
    throw error;
  }
}

async function append(
  io: Stderr,
  response: Response,
  part: string,
  start: number,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const total = start + Number(response.headers.get('content-length') ?? Number.NaN);
  using progress = openProgress(io, { total: Number.isNaN(total) ? undefined : total, start });
  await using output = await open(part, start > 0 ? 'r+' : 'w');
  let position = start;
  for await (const chunk of answerBytes(response)) {
    onChunk(chunk);
    for (let at = 0; at < chunk.length; ) {
      at += (await output.write(chunk, at, chunk.length - at, position + at)).bytesWritten;
    }
    position += chunk.length;
    progress.update(position, `${(position / 2 ** 20).toFixed(1)} MiB`);
  }
  await output.sync();
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.size ?? 0;
}
