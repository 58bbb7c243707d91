import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissingFile, storageError } from '../errors.ts';
import { syncNames } from './blob-places.ts';

const firstBufferBytes = 64 << 10;
const bufferBytes = 1 << 20;

/** Where the file of a name is to be, and the folder below which its names have to be durable. */
export interface FileNaming<Name> {
  readonly root: string;
  fileOf(name: Name): string;
}

/** A file in the staging folder. One buffer is filled while the other is on its way to the disk. */
export class StagedFile<Name> {
  readonly #naming: FileNaming<Name>;
  readonly #path: string;
  #file: FileHandle | undefined;
  #isEnded = false;
  #buffer: Buffer | undefined;
  #filled = 0;
  #spare: Buffer | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(naming: FileNaming<Name>, path: string, file: FileHandle) {
    this.#naming = naming;
    this.#path = path;
    this.#file = file;
  }

  static async open<Name>(staging: string, naming: FileNaming<Name>): Promise<StagedFile<Name>> {
    try {
      const path = join(staging, randomUUID());
      return new StagedFile(naming, path, await open(path, 'wx', 0o600));
    } catch (error) {
      throw storageError(error);
    }
  }

  async write(chunk: Uint8Array): Promise<void> {
    const file = this.#file;
    if (!file) throw new Error('The staged file is finished.');
    for (let taken = 0; taken < chunk.length; ) {
      this.#buffer ??= Buffer.allocUnsafeSlow(firstBufferBytes);
      const part = chunk.subarray(taken, taken + this.#buffer.length - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      taken += part.length;
      if (this.#filled === this.#buffer.length) await this.#orDiscard(() => this.#swap(file, this.#buffer));
    }
  }

  /** Waits for the write before, starts the next, and leaves the other buffer to be filled. */
  async #swap(file: FileHandle, full: Buffer | undefined): Promise<void> {
    await this.#writing;
    if (!full) return;
    this.#writing = writeWhole(file, full.subarray(0, this.#filled));
    this.#writing.catch(() => {});
    this.#buffer = this.#spare ?? Buffer.allocUnsafeSlow(bufferBytes);
    this.#spare = full.length === bufferBytes ? full : undefined;
    this.#filled = 0;
  }

  async finish(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    await this.#orDiscard(async () => {
      await this.#writing;
      if (this.#buffer) await writeWhole(file, this.#buffer.subarray(0, this.#filled));
      await file.sync();
      await this.#close();
    });
  }

  async commit(name: Name): Promise<'stored' | 'known'> {
    await this.finish();
    if (this.#isEnded) throw new Error('The staged file has ended.');
    return await this.#orDiscard(() => this.#publish(this.#naming.fileOf(name)));
  }

  async #publish(target: string): Promise<'stored' | 'known'> {
    const isKnown = await exists(target);
    if (isKnown) await rm(this.#path);
    else await moveTo(target, this.#path);
    this.#isEnded = true;
    await syncNames(this.#naming.root, target);
    return isKnown ? 'known' : 'stored';
  }

  async discard(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#close();
    await rm(this.#path, { force: true });
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#buffer = undefined;
    this.#spare = undefined;
    await this.#writing.catch(() => {});
    await file?.close();
  }

  /** What could not be stored leaves nothing behind. */
  async #orDiscard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.discard().catch(() => {});
      throw storageError(error);
    }
  }
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
}

async function moveTo(target: string, path: string): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}
