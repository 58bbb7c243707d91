import '../../domain/older-runtimes.ts';
import { messageOf } from '../../domain/errors.ts';
import { failUsage } from '../terminal/failure.ts';
import { onSignal } from '../terminal/process-io.ts';
import { type Recorded, recordRun } from './recording.ts';
import { type Ending, runCommand } from './run-command.ts';
import type { Told } from './run-facts.ts';

export { Failure } from '../terminal/failure.ts';
export type { Recorded, RecordedFile } from './recording.ts';

interface What extends Pick<Told, 'environment' | 'parameters' | 'metrics'> {
  /** What the run does, for people. At most 200 characters. */
  readonly name: string;
  /** Files, folders and patterns that the run reads. */
  readonly inputs?: readonly string[];
  /** Files, folders and patterns that the run writes. */
  readonly outputs: readonly string[];
  /** What else to say about the run. */
  readonly metadata?: Told['metadata'];
  /** Record outputs that the run did not write, which the record says. Default: nothing is recorded then. */
  readonly allowUnwrittenOutputs?: boolean;
  /** Whether a run that fails is recorded, too. Then the failure is thrown after that. */
  readonly recordFailure?: boolean;
  /** UUID or name of a graph. Default: the graph of `cairn.json`. */
  readonly graph?: string;
  /** The file of a key that signs a credential for each statement. */
  readonly sign?: string;
  /** A folder that keeps everything for `cairn ingest`. Then the service is not called. */
  readonly spool?: string;
  /** The folder of relative paths and of the command. Default: that of the process. */
  readonly cwd?: string;
}

const longestError = 1_000;

export type RecordOptions = What &
  (
    | { readonly run: () => unknown; readonly command?: never }
    | { readonly command: readonly [string, ...string[]]; readonly run?: never }
  );

/**
 * Hashes the inputs, runs a function or a command, hashes the outputs, and stores everything with statements about it, as
 * `cairn record` does. `CAIRN_URL` and `CAIRN_TOKEN`, or `cairn.json` and `cairn login`, say where.
 * @throws what `run` throws; Failure with a sentence and an `exitCode`. Then nothing is recorded, unless the sentence says
 * where the run is kept, metrics could not be read, or `recordFailure` is set.
 */
export async function record({
  cwd = process.cwd(),
  run,
  command,
  ...options
}: RecordOptions): Promise<Recorded> {
  const { env, stdin, stdout, stderr } = process;
  const io = { env, cwd, stdin, stderr, onSignal };
  if (!run === !command) failUsage('Give record() either "run" or "command".');
  const recording = { inputs: [], metadata: {}, ...options, command: command ?? null };
  const { recorded, failure } = await recordRun(io, recording, async () =>
    command ? await runCommand(io, command, { cwd, stdout }) : await endingOf(run),
  );
  if (failure !== undefined) throw failure;
  return recorded;
}

async function endingOf(run: (() => unknown) | undefined): Promise<Ending> {
  try {
    await run?.();
    return {};
  } catch (thrown) {
    const failure = thrown ?? new Error('The function has thrown nothing.');
    return { error: messageOf(failure).slice(0, longestError).toWellFormed(), failure };
  }
}
