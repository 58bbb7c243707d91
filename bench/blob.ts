import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { chunkSize, download, makeFile, seconds, upload } from './blob-transfer.ts';
import { median, report } from './measure.ts';
import { memory, startService, withFolder } from './service-process.ts';

// One large blob in and out over HTTP, compared with a plain loop that reads, hashes and writes the same bytes.

const size = Number(process.env.BLOB_MIB ?? 1_024) * 2 ** 20;
const runs = 3;

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

await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  const path = join(folder, 'blob');
  await makeFile(path, runs, chunkSize);
  await download(service.url, await upload(service.url, path));
  const before = await memory(service.pid);
  const times: { plain: number; put: number; get: number }[] = [];
  for (let run = 0; run < runs; run += 1) {
    await makeFile(path, run, size);
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
