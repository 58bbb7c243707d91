import '../../domain/older-runtimes.ts';
import { messageOf } from '../../domain/errors.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { onSignal } from '../terminal/process-io.ts';
import type { Recorded, RecordOptions } from './record-types.d.ts';
import { recordedAlready, recordRun } from './recording.ts';
import { type Ending, runCommand } from './run-command.ts';

export { Failure } from '../terminal/failure.ts';
export type { Recorded, RecordedFile, RecordOptions } from './record-types.d.ts';

const longestError = 1_000;

/**
 * Hashes the inputs, runs a function or a command, hashes the outputs, and stores everything with statements about it, as
 * `cairn record` does. `CAIRN_URL` and `CAIRN_TOKEN`, or `cairn.json` and `cairn login`, say where.
 * @throws what `run` throws; Failure with a sentence and an `exitCode`. Then nothing is recorded, unless the sentence says
 * where the run is kept, metrics could not be read, or `recordFailure` is set.
 */
export async function record(options: RecordOptions): Promise<Recorded> {
  return await recordIn(process.env, options);
}

/** As `record`, with these variables. */
export async function recordIn(
  env: Io['env'],
  { cwd = process.cwd(), run, command, ifChanged = false, ...options }: RecordOptions,
): Promise<Recorded> {
  const { stdin, stdout, stderr } = process;
  const io = { env, cwd, stdin, stderr, onSignal };
  if (!run === !command) failUsage('Give record() either "run" or "command".');
  const recording = { inputs: [], metadata: {}, ...options, command: command ?? null };
  const earlier = ifChanged ? await recordedAlready(io, recording) : undefined;
  if (earlier) return earlier;
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
