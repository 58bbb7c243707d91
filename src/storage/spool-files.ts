import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import { fileError } from './file-errors.ts';

const bufferBytes = 1 << 20;

/** Spools as nameless files: the disk has them back however the process ends. */
export class SpoolFiles implements SpoolStore {
  readonly #folder: string;

  /** @param folder that is there. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<Spool> {
    try {
      const path = join(this.#folder, randomUUID());
      const file = await open(path, 'wx+', 0o600);
      await rm(path);
      return new SpoolFile(file);
    } catch (error) {
      throw fileError(error);
    }
  }
}

class SpoolFile implements Spool {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #written = 0;
  #filled = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get size(): number {
    return this.#written + this.#filled;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      const part = chunk.subarray(taken, taken + bufferBytes - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      taken += part.length;
      if (this.#filled === bufferBytes) await this.#flush();
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#filled > 0) await this.#flush();
    const wanted = Math.max(Math.min(length, this.size - offset), 0);
    const bytes = Buffer.allocUnsafeSlow(wanted);
    try {
      for (let read = 0; read < wanted; ) {
        const { bytesRead } = await this.#file.read(bytes, read, wanted - read, offset + read);
        if (bytesRead === 0) return bytes.subarray(0, read);
        read += bytesRead;
      }
      return bytes;
    } catch (error) {
      throw fileError(error);
    }
  }

  async #flush(): Promise<void> {
    const filled = this.#filled;
    try {
      for (let at = 0; at < filled; ) {
        const { bytesWritten } = await this.#file.write(this.#buffer, at, filled - at, this.#written + at);
        at += bytesWritten;
      }
    } catch (error) {
      throw fileError(error);
    }
    this.#written += filled;
    this.#filled = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
