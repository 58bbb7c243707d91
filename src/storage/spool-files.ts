import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import { fileError } from './file-errors.ts';

const bufferBytes = 1 << 20;

/** Spools as files without a name, so that the disk space is freed however the process ends. */
export function spoolFiles(folder: string): SpoolStore {
  return { open: () => translated(() => openSpool(folder)) };
}

async function openSpool(folder: string): Promise<Spool> {
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  let size = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let flushed: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    flushed = flushed.then(() => file.appendFile(bytes));
    return flushed;
  }

  const settle = () => translated(() => (waiting.length > 0 ? flush() : flushed));

  return {
    get size() {
      return size;
    },
    async write(chunk) {
      waiting.push(Uint8Array.from(chunk));
      waitingBytes += chunk.length;
      size += chunk.length;
      if (waitingBytes >= bufferBytes) await translated(flush);
    },
    async read(offset, length) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(Math.min(length, size - offset), 0));
      await settle();
      const { bytesRead } = await translated(() => file.read(bytes, 0, bytes.length, offset));
      return bytes.subarray(0, bytesRead);
    },
    flush: settle,
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error);
  }
}
