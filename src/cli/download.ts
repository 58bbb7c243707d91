import { open, rename, rm, stat } from 'node:fs/promises';
import { type Cid, makeCid } from '../domain/integrity/cid.ts';
import { hasher } from '../domain/integrity/hashing.ts';
import { type ApiClient, ApiRefusal, answerBytes } from './api-client.ts';
import { exitCodes, Failure } from './failure.ts';
import { fileChunks } from './local-files.ts';
import { openProgress } from './progress.ts';

/**
 * Writes what a CID names to a file, which appears only when its bytes are complete and right. Until then they
 * stand beside it, from where an interrupted download goes on.
 * @throws Failure when the bytes are not those of the CID; nothing is left then.
 */
export async function download(client: ApiClient, cid: Cid, file: string): Promise<void> {
  const part = `${file}.${cid.text.slice(-12)}.part`;
  const had = await sizeOf(part);
  let computed = await receive(client, cid, part, had);
  // What was there may have been damaged: it gets no second chance to spoil the rest.
  if (computed.text !== cid.text && had > 0) computed = await receive(client, cid, part, 0);
  if (computed.text !== cid.text) {
    await rm(part, { force: true });
    throw new Failure(
      exitCodes.no,
      `The service sent ${computed.text} instead of ${cid.text}. Nothing was written to ${file}.`,
    );
  }
  await rename(part, file);
}

async function receive(client: ApiClient, cid: Cid, part: string, had: number): Promise<Cid> {
  const response = await request(client, cid, had);
  const start = response?.status === 206 ? had : 0;
  const hash = hasher(cid.multihash);
  if (start > 0 || !response) for await (const chunk of fileChunks(part)) hash.update(chunk);
  if (response) await append(response, part, start, (chunk) => hash.update(chunk));
  return makeCid(cid.codec, hash.digest(), cid.multihash);
}

/** @returns undefined when there is nothing after the bytes that are here. */
async function request(client: ApiClient, cid: Cid, had: number): Promise<Response | undefined> {
  const headers = new Headers({ 'accept-encoding': 'identity' });
  if (had > 0) {
    headers.set('range', `bytes=${had}-`);
    headers.set('if-range', `"${cid.text}"`);
  }
  try {
    return await client.send('GET', `/store/v1/blob/${cid.text}`, { headers: Object.fromEntries(headers) });
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 416) return undefined;
    throw error;
  }
}

async function append(
  response: Response,
  part: string,
  start: number,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const total = start + Number(response.headers.get('content-length') ?? Number.NaN);
  using progress = openProgress({ total: Number.isNaN(total) ? undefined : total, start });
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
