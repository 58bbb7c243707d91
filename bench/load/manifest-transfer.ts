import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { graphId } from '../batch-ingestion.ts';

/** From the request to the last byte in a file. */
export async function exportTo(url: string, file: string, query: string, accept: string): Promise<undefined> {
  const response = await fetch(`${url}/manifest/v1?graph_ids=${graphId}&${query}`, { headers: { accept } });
  if (!response.ok || !response.body) throw new Error(await response.text());
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

/** From the first byte to the answer. */
export async function importFrom(url: string, file: string, type: string): Promise<undefined> {
  await using source = await open(file);
  const response = await fetch(`${url}/manifest/v1?graph_id=${graphId}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: source.createReadStream({ highWaterMark: 1 << 18, autoClose: false }),
    duplex: 'half',
  } as RequestInit);
  if (response.status !== 201) throw new Error(await response.text());
  await response.arrayBuffer();
}
