import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Folders below a durable one. Each is made durable once in the life of this process. */
export class DurableFolders {
  readonly #durable: Set<string>;

  constructor(root: string) {
    this.#durable = new Set([root]);
  }

  async make(folder: string): Promise<void> {
    if (!this.#durable.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  /** Makes the names of its files durable, and its own name. */
  async sync(folder: string): Promise<void> {
    await syncFolder(folder);
    if (this.#durable.has(folder)) return;
    await this.sync(dirname(folder));
    this.#durable.add(folder);
  }
}

/** Makes the names of its files durable. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
