import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';

export const chunkSize = 2 ** 20;

/** A file with different bytes in each run, so that the store does not know it. */
export async function makeFile(path: string, run: number, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(chunkSize);
  for (let at = 0; at < bytes; at += chunkSize) {
    chunk.writeDoubleLE(at + run / 16, 0);
    await file.write(chunk);
  }
  // Flushed, so that these pages do not affect a measurement.
  await file.sync();
  await file.close();
}

export async function upload(url: string, path: string): Promise<string> {
  const call = request(`${url}/store/v1/blob`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
  });
  const answered = new Promise<string>((resolve, reject) => {
    call.on('error', reject).on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text).cid);
    });
  });
  await pipeline(createReadStream(path, { highWaterMark: chunkSize }), call);
  return await answered;
}

export async function download(url: string, cid: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    request(`${url}/store/v1/blob/${cid}`, async (response) => {
      let received = 0;
      for await (const chunk of response) received += chunk.length;
      resolve(received);
    })
      .on('error', reject)
      .end();
  });
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
