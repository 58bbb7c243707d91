import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import { fileError } from './file-errors.ts';

const bufferBytes = 1 << 20;

/**
 * Spools that stay in memory while they are small. Larger ones are files without a name, so that the disk space is freed
 * however the process ends.
 */
export function spoolFiles(folder: string): SpoolStore {
  return { open: async () => newSpool(folder) };
}

function newSpool(folder: string): Spool {
  let file: Promise<FileHandle> | undefined;
  let size = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let flushed: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    file ??= openUnnamed(folder);
    const opened = file;
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    flushed = flushed.then(async () => (await opened).appendFile(bytes));
    return flushed;
  }

  const settle = async () => {
    if (file) await translated(() => (waiting.length > 0 ? flush() : flushed));
  };

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
      await settle();
      const opened = await file;
      if (!opened) {
        if (waiting.length > 1) waiting = [Buffer.concat(waiting)];
        return (waiting[0] ?? new Uint8Array()).subarray(offset, offset + length);
      }
      const bytes = Buffer.allocUnsafeSlow(Math.max(Math.min(length, size - offset), 0));
      const { bytesRead } = await translated(() => opened.read(bytes, 0, bytes.length, offset));
      return bytes.subarray(0, bytesRead);
    },
    flush: settle,
    async [Symbol.asyncDispose]() {
      const opened = await file?.catch(() => undefined);
      await opened?.close();
    },
  };
}

async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error);
  }
}
