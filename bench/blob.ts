import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPlainFileServer } from './bare-process.ts';
import { chunkSize, download, makeFile, seconds, transferRows, upload } from './blob-transfer.ts';
import { report } from './measure.ts';
import { memory, startService, withFolder } from './service-process.ts';

// One large blob in and out over HTTP, compared with a plain Node file server and the same client.

const size = Number(process.env.BLOB_MIB ?? 1_024) * 2 ** 20;
const runs = Number(process.env.RUNS ?? 3);

await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  using plain = await startPlainFileServer(folder);
  const path = join(folder, 'blob');
  const put = async () => JSON.parse(await upload(`${service.url}/store/v1/blob`, path)).cid;
  const get = (cid: string) => download(`${service.url}/store/v1/blob/${cid}`);
  await makeFile(path, runs, chunkSize);
  await get(await put());
  const before = await memory(service.pid);
  const times: Record<'plainIn' | 'in' | 'plainOut' | 'out', number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    await makeFile(path, run, size);
    const plainIn = await seconds(() => upload(`${plain.url}/copy`, path));
    const plainOut = await seconds(() => download(`${plain.url}/copy`));
    await rm(join(folder, 'copy'));
    let cid = '';
    const putIn = await seconds(async () => {
      cid = await put();
    });
    const out = await seconds(() => get(cid));
    times.push({ plainIn, in: putIn, plainOut, out });
  }
  const after = await memory(service.pid);
  const mib = size / 2 ** 20;
  const row = transferRows(mib, times);
  report(`A blob of ${mib} MiB`, [
    row('plain Node server: PUT with fsync', 'plainIn', 'plainIn'),
    row('Cairn: PUT over HTTP', 'in', 'plainIn'),
    row('plain Node server: GET', 'plainOut', 'plainOut'),
    row('Cairn: GET over HTTP, verified', 'out', 'plainOut'),
  ]);
  console.log(
    `\nMemory of the service: ${before.now.toFixed(0)} MiB before, ${after.peak.toFixed(0)} MiB at most.`,
  );
});
