// What programs see of `record`. Declarations alone, so that their compilers need not read our sources.

interface What {
  /** What the run does, for people. At most 200 characters. */
  readonly name: string;
  /** Files, folders and patterns that the run reads. */
  readonly inputs?: readonly string[];
  /** Files, folders and patterns that the run writes. */
  readonly outputs: readonly string[];
  /** What else to say about the run. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** Names of environment variables. */
  readonly environment?: readonly string[];
  /** Files with parameters. They are inputs, too. */
  readonly parameters?: readonly string[];
  /** A file, or an object that the function fills. */
  readonly metrics?: string | object | undefined;
  /** Record outputs that the run did not write, which the record says. Default: nothing is recorded then. */
  readonly allowUnwrittenOutputs?: boolean;
  /** Whether a run that fails is recorded, too. Then the failure is thrown after that. */
  readonly recordFailure?: boolean;
  /**
   * Whether a run is skipped that is recorded with the same command, program, inputs and outputs. The code of a function is not
   * compared, so name its files as inputs.
   */
  readonly ifChanged?: boolean;
  /** UUID or name of a graph. Default: the graph of `cairn.json`. */
  readonly graph?: string;
  /** The file of a key that signs a credential for each statement. */
  readonly sign?: string;
  /** A folder that keeps everything for `cairn ingest`. Then the service is not called. */
  readonly spool?: string;
  /** The folder of relative paths and of the command. Default: that of the process. */
  readonly cwd?: string;
}

export type RecordOptions = What &
  (
    | { readonly run: () => unknown; readonly command?: never }
    | { readonly command: readonly [string, ...string[]]; readonly run?: never }
  );

export interface RecordedFile {
  readonly name: string;
  readonly path: string;
  readonly cid: string;
}

export interface Recorded {
  readonly name: string;
  readonly graph: string | null;
  /** The id of the statement about the run. */
  readonly computation: string;
  /** Whether nothing was run, because `computation` was recorded before (`ifChanged`). The rest is about that run. */
  readonly skipped: boolean;
  /** The ids of all statements that were made. */
  readonly statements: readonly string[];
  readonly program: RecordedFile | null;
  readonly inputs: readonly RecordedFile[];
  readonly outputs: readonly RecordedFile[];
  readonly started: string;
  /** Seconds. */
  readonly duration: number;
  /** Null for a function, or if a signal ended the command. */
  readonly exit_code: number | null;
  readonly metrics: Readonly<Record<string, unknown>> | null;
  /** Where it waits to be sent; null if the service has it. */
  readonly spooled: string | null;
}
