import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { median, report } from './measure.ts';
import { memory, startService, withFolder } from './service-process.ts';

// One large blob in and out over HTTP, beside a plain loop that reads, hashes and writes the same bytes.

const size = Number(process.env.BLOB_MIB ?? 1_024) * 2 ** 20;
const chunkSize = 2 ** 20;
const runs = 3;

/** A file of bytes that differ in each run, so that none is known to the store. */
async function makeFile(path: string, run: number, bytes = size): Promise<void> {
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(chunkSize);
  for (let at = 0; at < bytes; at += chunkSize) {
    chunk.writeDoubleLE(at + run / 16, 0);
    await file.write(chunk);
  }
  // Nobody else's measurement pays for these pages.
  await file.sync();
  await file.close();
}

async function plainLoop(from: string, to: string): Promise<void> {
  const source = await open(from);
  const target = await open(to, 'w');
  const hasher = new Blake3Hasher();
  const chunk = Buffer.alloc(chunkSize);
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, chunkSize);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    hasher.update(part);
    await target.write(part);
  }
  hasher.digest();
  await target.sync();
  await source.close();
  await target.close();
}

async function upload(url: string, path: string): Promise<string> {
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

async function download(url: string, cid: string): Promise<number> {
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

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  const path = join(folder, 'blob');
  await makeFile(path, runs, chunkSize);
  await download(service.url, await upload(service.url, path));
  const before = await memory(service.pid);
  const times: { plain: number; put: number; get: number }[] = [];
  for (let run = 0; run < runs; run += 1) {
    await makeFile(path, run);
    const plain = await seconds(() => plainLoop(path, join(folder, 'copy')));
    await rm(join(folder, 'copy'));
    let cid = '';
    const put = await seconds(async () => {
      cid = await upload(service.url, path);
    });
    const get = await seconds(() => download(service.url, cid));
    times.push({ plain, put, get });
  }
  const after = await memory(service.pid);
  const mib = size / 2 ** 20;
  const rateOf = (key: 'plain' | 'put' | 'get') => mib / median(times.map((time) => time[key]));
  const ratioOf = (key: 'put' | 'get') => median(times.map((time) => time.plain / time[key]));
  report(`A blob of ${mib} MiB`, [
    { what: 'plain loop: read, hash, write, sync', 'MiB/s': rateOf('plain'), ratio: 1 },
    { what: 'Cairn: PUT over HTTP', 'MiB/s': rateOf('put'), ratio: ratioOf('put') },
    { what: 'Cairn: GET over HTTP', 'MiB/s': rateOf('get'), ratio: ratioOf('get') },
  ]);
  console.log(
    `\nMemory of the service: ${before.now.toFixed(0)} MiB before, ${after.peak.toFixed(0)} MiB at most.`,
  );
});
