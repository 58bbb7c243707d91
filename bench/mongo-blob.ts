import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Db, GridFSBucket, type ObjectId } from 'mongodb';
import { chunkSize, download, makeFile, seconds, transferRows, upload } from './blob-transfer.ts';
import { report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';
import { memory } from './service-process.ts';

// One large blob in and out over HTTP on MongoDB, compared with the driver's GridFS with the same file.

const size = Number(process.env.BLOB_MIB ?? 256) * 2 ** 20;
const runs = 3;

async function plainUpload(db: Db, path: string): Promise<ObjectId> {
  const stream = new GridFSBucket(db).openUploadStream('blob');
  await pipeline(createReadStream(path, { highWaterMark: chunkSize }), stream);
  return stream.id;
}

async function plainDownload(db: Db, id: ObjectId): Promise<number> {
  let received = 0;
  for await (const chunk of new GridFSBucket(db).openDownloadStream(id)) received += chunk.length;
  return received;
}

await withMongoService(async ({ folder, service, plain }) => {
  const path = join(folder, 'blob');
  const put = async () => JSON.parse(await upload(`${service.url}/store/v1/blob`, path)).cid;
  const get = (cid: string) => download(`${service.url}/store/v1/blob/${cid}`);
  await makeFile(path, runs, chunkSize);
  await get(await put());
  await plainDownload(plain, await plainUpload(plain, path));
  const before = await memory(service.pid);
  const times: Record<'plainIn' | 'in' | 'plainOut' | 'out', number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    await makeFile(path, run, size);
    let id: ObjectId | undefined;
    let cid = '';
    const plainIn = await seconds(async () => {
      id = await plainUpload(plain, path);
    });
    const putIn = await seconds(async () => {
      cid = await put();
    });
    const plainOut = await seconds(() => plainDownload(plain, id as ObjectId));
    const out = await seconds(() => get(cid));
    times.push({ plainIn, in: putIn, plainOut, out });
  }
  const after = await memory(service.pid);
  const mib = size / 2 ** 20;
  const row = transferRows(mib, times);
  report(`A blob of ${mib} MiB on MongoDB`, [
    row('the driver: GridFS upload', 'plainIn', 'plainIn'),
    row('Cairn: PUT over HTTP', 'in', 'plainIn'),
    row('the driver: GridFS download', 'plainOut', 'plainOut'),
    row('Cairn: GET over HTTP', 'out', 'plainOut'),
  ]);
  console.log(
    `\nMemory of the service: ${before.now.toFixed(0)} MiB before, ${after.peak.toFixed(0)} MiB at most.`,
  );
});
