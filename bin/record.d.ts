import type { Recorded, RecordOptions } from '../src/cli/record/record-types.d.ts';

export type { Recorded, RecordedFile, RecordOptions } from '../src/cli/record/record-types.d.ts';

/**
 * Hashes the inputs, runs a function or a command, hashes the outputs, and stores everything with statements about it, as
 * `cairn record` does. `CAIRN_URL` and `CAIRN_TOKEN`, or `cairn.json` and `cairn login`, say where.
 * @throws what `run` throws, or Failure.
 */
export declare function record(options: RecordOptions): Promise<Recorded>;

/** Its message says what to do. */
export declare class Failure extends Error {
  /** As that of the command. */
  readonly exitCode: number;
}
