import { z } from 'zod';
import { StateFile } from '../../client/state-file.ts';

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
  readonly #file: StateFile<typeof checkpoint>;
  readonly #version: FileVersion;

  constructor(stateDir: string, { file, url, graphId, generateId }: IngestionKey, version: FileVersion) {
    this.#file = new StateFile(stateDir, 'ingest', { file, url, graphId, generateId }, checkpoint);
    this.#version = version;
  }

  /** Where to go on: undefined at the beginning; `changed` when the file is another one by now. */
  read(): Checkpoint | 'changed' | undefined {
    const found = this.#file.read();
    if (!found) return undefined;
    const { size, modifiedMs } = this.#version;
    return found.size === size && found.modifiedMs === modifiedMs ? found : 'changed';
  }

  write(progress: Pick<Checkpoint, 'offset' | 'lines' | 'tally'>): void {
    const { size, modifiedMs } = this.#version;
    this.#file.write({ size, modifiedMs, ...progress });
  }

  remove(): void {
    this.#file.remove();
  }
}
