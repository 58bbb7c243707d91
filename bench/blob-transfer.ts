import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { median, type Row } from './measure.ts';

// A client of HTTP that costs little, so that it does not limit what a server reaches.

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

/** @returns the body of the answer. */
export async function upload(url: string, path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { socket, answer } = call(url, 'PUT', [
    'content-type: application/octet-stream',
    `content-length: ${size}`,
  ]);
  const chunk = Buffer.alloc(chunkSize);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, chunkSize, at);
    await new Promise<void>((resolve, reject) =>
      socket.write(chunk.subarray(0, bytesRead), (error) => (error ? reject(error) : resolve())),
    );
    at += bytesRead;
  }
  return (await answer).start;
}

/** @returns the size of the body. */
export async function download(url: string): Promise<number> {
  return (await call(url, 'GET', []).answer).size;
}

/** Sends a request on a connection of its own. The answer has the size of the body, and its start as text. */
function call(url: string, method: string, headers: readonly string[]) {
  const { hostname, port, host, pathname } = new URL(url);
  let head = '';
  let received = 0;
  // The buffer is reused, so nothing is allocated for each chunk.
  const callback = (length: number, chunk: Uint8Array) => {
    if (head.length < chunkSize >> 8)
      head += Buffer.from(chunk.subarray(0, length)).toString('latin1', 0, chunkSize >> 8);
    received += length;
    return true;
  };
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: { buffer: Buffer.alloc(chunkSize), callback },
  });
  const lines = [`${method} ${pathname} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = once(socket, 'close').then(() => {
    const [fields = '', start = ''] = head.split('\r\n\r\n', 2);
    const size = received - fields.length - 4;
    const announced = Number(/^content-length: (\d+)/im.exec(fields)?.[1] ?? size);
    if (!fields.startsWith('HTTP/1.1 2') || size !== announced) throw new Error(`Broken answer:\n${fields}`);
    return { start, size };
  });
  return { socket, answer };
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

/** Makes rows of a table: the rate of one transfer in MiB/s, and the median of its ratios to another in the same run. */
export function transferRows<Key extends string>(
  mib: number,
  times: readonly Readonly<Record<Key, number>>[],
) {
  return (what: string, own: Key, beside: Key): Row => ({
    what,
    'MiB/s': mib / median(times.map((time) => time[own])),
    ratio: median(times.map((time) => time[beside] / time[own])),
  });
}
