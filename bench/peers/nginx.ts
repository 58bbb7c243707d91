import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chunkSize, download, makeFile, seconds, transferRows, upload } from '../blob-transfer.ts';
import { freePort } from '../free-port.ts';
import type { Row } from '../measure.ts';
import { startService, withFolder } from '../service-process.ts';
import { startServer } from './server.ts';

const runs = Number(process.env.RUNS ?? 3);
const mib = Number(process.env.BLOB_MIB ?? 1_024);
const program = process.env.NGINX ?? '/usr/sbin/nginx';

const configuration = (folder: string, port: number) => `
  daemon off;
  ${process.getuid?.() === 0 ? 'user root;' : ''}
  pid ${folder}/pid;
  error_log stderr;
  events {}
  http {
    access_log off;
    sendfile on;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
    server {
      listen 127.0.0.1:${port};
      root ${folder}/files;
      dav_methods PUT;
    }
  }`;

/** A large blob in and out. nginx does not sync what it stores, so the client syncs the file after the answer. */
export async function besideNginx(): Promise<Row[]> {
  const times: Record<'nginxIn' | 'in' | 'nginxOut' | 'out', number>[] = [];
  await withFolder(async (folder) => {
    await mkdir(join(folder, 'files'));
    const port = await freePort();
    await writeFile(join(folder, 'nginx.conf'), configuration(folder, port));
    const parameters = ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
    await using _nginx = await startServer(program, parameters, port);
    await using service = await startService(join(folder, 'data'));
    const source = join(folder, 'blob');
    const stored = `http://127.0.0.1:${port}/stored`;
    const blobs = `${service.url}/store/v1/blob`;
    const putNginx = async () => {
      await upload(stored, source);
      await using file = await open(join(folder, 'files/stored'));
      await file.sync();
    };
    for (let run = 0; run <= runs; run += 1) {
      await makeFile(source, run, run === 0 ? chunkSize : mib * 2 ** 20);
      const nginx = async () => {
        const nginxIn = await seconds(putNginx);
        const nginxOut = await seconds(() => download(stored));
        await rm(join(folder, 'files/stored'));
        return { nginxIn, nginxOut };
      };
      const cairn = async () => {
        let cid = '';
        const putIn = await seconds(async () => {
          cid = JSON.parse(await upload(blobs, source)).cid;
        });
        return { in: putIn, out: await seconds(() => download(`${blobs}/${cid}`)) };
      };
      // In turns, because what one has written may slow the other down.
      const both =
        run % 2 === 0
          ? { ...(await nginx()), ...(await cairn()) }
          : { ...(await cairn()), ...(await nginx()) };
      // The first run warms both up.
      if (run > 0) times.push(both);
    }
  });
  const row = transferRows(mib, times);
  return [
    row('nginx: PUT of 1 GiB, and fsync', 'nginxIn', 'nginxIn'),
    row('Cairn: PUT of 1 GiB', 'in', 'nginxIn'),
    row('nginx: GET of 1 GiB', 'nginxOut', 'nginxOut'),
    row('Cairn: GET of 1 GiB, verified', 'out', 'nginxOut'),
  ];
}
