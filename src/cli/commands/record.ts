import { dirname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { flatValues } from '../../contract/words/runs.ts';
import { shortId } from '../../contract/words/text.ts';
import { nameText } from '../client/graphs.ts';
import type { Recorded, RecordedFile } from '../record/record-types.d.ts';
import { type Recording, recordedAlready, recordRun, rehearse } from '../record/recording.ts';
import { runCommand } from '../record/run-command.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { indented, printableLine, say, sayText, table, writeText } from '../terminal/output.ts';

type Value = string | number | boolean;

interface RecordFlags {
  readonly name: string;
  readonly graph?: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly params: readonly string[];
  readonly metrics?: string;
  readonly env: readonly string[];
  readonly metadata: Readonly<Record<string, Value>>;
  readonly recordFailure?: true;
  readonly allowUnwrittenOutputs?: true;
  readonly ifChanged?: true;
  readonly sign?: string;
  readonly spool?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const notes = `
Hashes the inputs, runs the command, hashes the outputs, stores what the service lacks, and states in one batch what was made
from what. The streams, signals and exit code are those of the command. A command that fails records nothing, unless
--record-failure is set.

The record keeps the command, its exit code and duration, the commit of git and whether its files were changed. Parameters
are read before the command and shown with the run; their file is an input. Metrics are read after the command.

Files can be named by patterns ('data/*.csv'). A folder becomes a collection. Standard output belongs to the command; with
--json it has only the result, and the output of the command goes to standard error.

Examples:
  $ cairn record --name train --input data.csv --output model.bin -- python3 train.py --epochs 10
  $ cairn record --name train --input data.csv --params params.yaml --metrics metrics.json --env CUDA_VISIBLE_DEVICES \\
      --output model.bin -- python3 train.py
  $ cairn record --name split --input raw/ --output 'parts/*.csv' --metadata seed=7 -- ./split.sh
  $ cairn record --name train --input data.csv --output model.bin --spool ./unsent -- python3 train.py
  $ cairn ingest ./unsent`;

export function recordCommand(program: Command, io: Io): void {
  program
    .command('record')
    .description('run a command and record what it made from what')
    .argument('[command...]', 'the command and its arguments, after --')
    .usage('[options] -- <command...>')
    .requiredOption('--name <name>', 'what the command does, for people')
    .option('--graph <graph>', 'UUID or name of a graph (default: the one of cairn.json)')
    .option('--input <file...>', 'files, folders and patterns that the command reads', [])
    .requiredOption('--output <file...>', 'files, folders and patterns that the command writes')
    .option('--params <file...>', 'files with parameters (YAML, JSON or TOML), which are inputs', [])
    .option('--metrics <file>', 'a JSON file with metrics that the command writes')
    .option('--env <name...>', 'environment variables whose values are kept', [])
    .option('--metadata <key=value...>', 'what else to say about the run', keyAndValue, {})
    .option('--if-changed', 'skip a command that is recorded with the same program, inputs and outputs')
    .option('--record-failure', 'record a command that fails, with the outputs that it wrote')
    .option('--allow-unwritten-outputs', 'record outputs that the command did not write; the record says so')
    .option('--sign <key file>', 'sign a credential for each statement with this key (cairn key create)')
    .option(
      '--spool <folder>',
      'keep everything in this folder, for "cairn ingest"; the service is not called',
    )
    .option('--dry-run', 'print the statements, without running the command or storing anything')
    .option('--json', 'print the result as a JSON object')
    .addHelpText('after', notes)
    .action(async (command: string[], flags: RecordFlags) => await record(io, command, flags));
}

function keyAndValue(text: string, others: Record<string, Value>): Record<string, Value> {
  const [, key = '', value = ''] = /^([A-Za-z][\w.-]{0,99})=(.*)$/s.exec(text) ?? [];
  if (key === '')
    throw new InvalidArgumentError(
      'It must look like KEY=VALUE. A key starts with a letter and has letters, digits and ._-',
    );
  if (Object.hasOwn(others, key)) throw new InvalidArgumentError(`"${key}" is given twice.`);
  return { ...others, [key]: readValue(value) };
}

/** Numbers and booleans that mean the same as their text; everything else is text. */
function readValue(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

async function record(io: Io, command: readonly string[], flags: RecordFlags): Promise<void> {
  const {
    input: inputs,
    output: outputs,
    params: parameters,
    env: environment,
    json,
    dryRun,
    ifChanged,
    ...others
  } = flags;
  const recording: Recording = { ...others, inputs, outputs, parameters, environment, command };
  if (command.length === 0) failUsage('Write the command after --.');
  if (dryRun) {
    const statements = await rehearse(io, recording);
    await writeText(io, json ? `${JSON.stringify(statements)}\n` : statements.map(indented).join(''));
    return;
  }
  if (ifChanged) {
    const earlier = await recordedAlready(io, recording);
    if (earlier) {
      const sentence = `Skipped "${recording.name}": its command, inputs and outputs are recorded as they are now (${shortId(earlier.computation)}).`;
      if (json) await writeText(io, `${JSON.stringify(earlier)}\n`);
      else say(io, sentence);
      return;
    }
  }
  const stdout = json ? io.stderr : io.stdout;
  using signals = new DisposableStack();
  const { recorded, failure } = await recordRun(io, recording, async () => {
    const ending = await runCommand(io, command, { cwd: io.cwd, stdout });
    signals.use(finishOnSignal(io));
    return ending;
  });
  if (json) await writeText(io, `${JSON.stringify(recorded)}\n`);
  else sayText(io, report(recorded));
  if (failure !== undefined) throw failure;
}

/** The run is over, so a signal does not take its record away. A second one does. */
function finishOnSignal(io: Io): Disposable {
  const listening = io.onSignal((signal) => {
    listening[Symbol.dispose]();
    const advice = 'Send it again to stop without a record.';
    say(io, `${signal}: the command has ended and is being recorded. ${advice}`);
  });
  return listening;
}

const shown = 20;

function report({ name, duration, computation, spooled, graph, ...files }: Recorded): string {
  const { inputs, program, outputs } = files;
  const row = (word: string) => (file: RecordedFile) => [word, printableLine(file.path), shortId(file.cid)];
  const rows = [
    ...some(inputs).map(row('input')),
    ...(program ? [program] : []).map(row('program')),
    ...some(outputs).map(row('output')),
    ['statement', printableLine(name), shortId(computation)],
  ];
  const values = [...flatValues(files.metrics ?? {})].slice(0, shown);
  const metrics = values.map(([of, value]) => [of, value].map((one) => nameText(one)).join(' '));
  const hidden = inputs.length + outputs.length - some(inputs).length - some(outputs).length;
  const where = spooled ? ` Send it with: cairn ingest ${dirname(spooled)}` : '';
  const lines = [
    `Recorded "${printableLine(name)}" in ${spooled ?? (graph ? `the graph ${graph}` : 'no graph')}; it took ${duration} s.${where}`,
    table(rows).trimEnd(),
    ...(metrics.length > 0 ? [`metrics: ${metrics.join(', ')}`] : []),
    ...(hidden > 0 ? [`and ${hidden} more files`] : []),
    ...(graph || spooled
      ? []
      : ['Exports of graphs do not contain it. "cairn init" makes a graph for this folder.']),
  ];
  return `${lines.join('\n')}\n`;
}

function some<File>(files: readonly File[]): readonly File[] {
  return files.slice(0, shown);
}
