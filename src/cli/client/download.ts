import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Cid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../domain/integrity/identifiers/hashing.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';
import { type ApiClient, ApiRefusal, answerBytes } from './api-client.ts';
import { fileChunks, pathKind } from './local-files.ts';

type Stderr = Pick<Io, 'stderr'>;

export interface ExpectedContent {
  readonly path: string;
  /** The strong entity tag, without quotes. */
  readonly tag: string;
  readonly multihash: MultihashName;
  readonly digest: Uint8Array;
}

export function contentOf(cid: Cid): ExpectedContent {
  const { text: tag, multihash, digest } = cid;
  return { path: `/store/v1/blob/${tag}`, tag, multihash, digest };
}

/**
 * The target file of a path, with links resolved.
 * @throws Failure (usage) for a folder, for a pipe or device, which the rename would replace, and for a file in a folder
 * that does not exist.
 */
export async function fileToWrite(path: string): Promise<string> {
  if (path === '') failUsage('The name of the file is empty.');
  const kind = await pathKind(path);
  if (kind === 'folder') failUsage(`${path} is a folder. Name a file.`);
  if (kind === 'stream') failUsage(`${path} is not a regular file. Name one, or use - for standard output.`);
  if (kind === 'file') return await realpath(path);
  const folder = path.endsWith('/') ? path : dirname(path);
  if ((await pathKind(folder)) !== 'folder') failUsage(`The folder ${folder} does not exist. Make it first.`);
  return path;
}

/**
 * Downloads to a file, which appears only when it is complete and verified. Until then the bytes are in a `.part` file,
 * from which an interrupted download resumes.
 * @throws Failure if the digest is wrong. Then nothing is left.
 */
export async function download(
  io: Stderr,
  client: ApiClient,
  expected: ExpectedContent,
  file: string,
): Promise<void> {
  const part = `${file}.${expected.tag.slice(-12)}.part`;
  const had = await sizeOf(part);
  let isRight = await receive(io, client, expected, { part, had });
  // The part file may be damaged, so it is tried again from the start.
  if (!isRight && had > 0) isRight = await receive(io, client, expected, { part, had: 0 });
  if (!isRight) {
    await rm(part, { force: true });
    failNo(`The service sent bytes that do not match ${expected.tag}. Nothing was written to ${file}.`);
  }
  await rename(part, file);
}

/** @returns whether the bytes have the expected digest. */
async function receive(
  io: Stderr,
  client: ApiClient,
  expected: ExpectedContent,
  { part, had }: { readonly part: string; readonly had: number },
) {
  const response = await request(client, expected, had);
  const start = response?.status === 206 ? had : 0;
  const hash = hasher(expected.multihash);
  if (start > 0 || !response) for await (const chunk of fileChunks(part)) hash.update(chunk);
  if (response) await append(io, response, { part, start }, (chunk) => hash.update(chunk));
  return Buffer.compare(hash.digest(), expected.digest) === 0;
}

/** @returns undefined if the part file is already complete. */
async function request(client: ApiClient, { path, tag }: ExpectedContent, had: number) {
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
  { part, start }: { readonly part: string; readonly start: number },
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const total = start + Number(response.headers.get('content-length') ?? Number.NaN);
  using progress = openProgress(io, { total: Number.isNaN(total) ? undefined : total, start });
  await using output = await open(part, start > 0 ? 'r+' : 'w');
  let position = start;
  for await (const chunk of answerBytes(response)) {
    onChunk(chunk);
    for (let at = 0; at < chunk.length; ) {
      const written = await output.write(chunk, at, chunk.length - at, position + at).catch(naming(part));
      at += written.bytesWritten;
    }
    position += chunk.length;
    progress.update(position, `${(position / 2 ** 20).toFixed(1)} MiB`);
  }
  await output.sync().catch(naming(part));
}

/** Errors of an open file do not say which. */
function naming(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw Object.assign(error, { path });
  };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.size ?? 0;
}
