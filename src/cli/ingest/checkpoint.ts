import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** What makes two ingestions the same one. */
export interface IngestionKey {
  /** Absolute. */
  readonly file: string;
  readonly url: string;
  readonly graphId: string | null;
  readonly generateId: boolean;
}

/** A file that has changed is no longer the one that was begun. */
export interface FileVersion {
  readonly size: number;
  readonly modifiedMs: number;
}

const tally = z.object({ stored: z.int(), known: z.int(), refused: z.int() });
const checkpoint = z.object({
  size: z.int(),
  modifiedMs: z.number(),
  /** Up to here every line is stored or refused. */
  offset: z.int(),
  lines: z.int(),
  tally,
});

export type Tally = z.output<typeof tally>;
export type Checkpoint = z.output<typeof checkpoint>;

/** Remembers how far an ingestion has come, from one run to the next. */
export class CheckpointFile {
  readonly #path: string;
  readonly #key: IngestionKey;
  readonly #version: FileVersion;

  constructor(stateDir: string, key: IngestionKey, version: FileVersion) {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
    this.#path = join(stateDir, 'ingest', `${name}.json`);
    this.#key = key;
    this.#version = version;
  }

  /** Where to go on: undefined at the beginning; `changed` when the file is another one by now. */
  read(): Checkpoint | 'changed' | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const found = checkpoint.safeParse(parsed(text));
    if (!found.success) return undefined;
    const { size, modifiedMs } = found.data;
    return size === this.#version.size && modifiedMs === this.#version.modifiedMs ? found.data : 'changed';
  }

  write(progress: Pick<Checkpoint, 'offset' | 'lines' | 'tally'>): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const staged = `${this.#path}.${process.pid}`;
    writeFileSync(staged, JSON.stringify({ ...this.#key, ...this.#version, ...progress }), { mode: 0o600 });
    renameSync(staged, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
