import { z } from 'zod';
import { StateFile } from '../../client/state-file.ts';

/** Runs with an equal key are the same ingestion. */
export interface IngestionKey {
  /** Absolute path. */
  readonly file: string;
  readonly url: string;
  readonly graphId: string | null;
  readonly generateId: boolean;
}

/** Detects a change of the file. */
export interface FileVersion {
  readonly size: number;
  readonly modifiedMs: number;
}

const tally = z.object({ stored: z.int(), known: z.int(), refused: z.int() });
const checkpoint = z.object({
  size: z.int(),
  modifiedMs: z.number(),
  /** Every line before this offset is stored or refused. */
  offset: z.int(),
  lines: z.int(),
  tally,
});

export type Tally = z.output<typeof tally>;
export type Checkpoint = z.output<typeof checkpoint>;

/** The progress of an ingestion between runs. */
export class CheckpointFile {
  readonly #file: StateFile<typeof checkpoint>;
  readonly #version: FileVersion;

  constructor(stateDir: string, { file, url, graphId, generateId }: IngestionKey, version: FileVersion) {
    this.#file = new StateFile(stateDir, 'ingest', { file, url, graphId, generateId }, checkpoint);
    this.#version = version;
  }

  /** The progress of an earlier run, if any. `changed`: the file has changed since. */
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
