import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { shellLine } from '../../../contract/words/runs.ts';
import { counted, shortId } from '../../../contract/words/text.ts';
import { openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { chosenGraph, nameText } from '../../client/graphs.ts';
import { isBelow } from '../../record/places.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import { cutLine } from '../../terminal/identifier.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, printableLine, say, writeText } from '../../terminal/output.ts';
import { compareOutputs, isInside, type OutputStatus } from './compare.ts';
import { type RecordedRun, recordedRuns } from './recorded-runs.ts';
import { remakeOf } from './remake.ts';
import { whatIsHere } from './what-is-here.ts';
import { reasonText } from './words.ts';

interface StatusFlags {
  readonly graph?: string;
  readonly all?: true;
  readonly json?: true;
}

const notes = `
Compares the outputs that "cairn record" has recorded in the graph of this folder with the files that are here now. The newest
run that wrote a file counts. An output is current if its content, its program and all its inputs are as that run left them, and
the inputs are current, too. Content is compared, not time.

Exit codes: 0 everything is current; 1 an output is out of date, or nothing is recorded; 3 the service cannot be reached.

Examples:
  $ cairn status
  $ cairn status model.bin reports/ --all
  $ cairn status --json`;

export function statusCommand(program: Command, io: Io): void {
  program
    .command('status')
    .description('tell which recorded outputs are out of date, why, and what would remake them')
    .argument('[path...]', 'only outputs at these paths, or below them')
    .option('--graph <graph>', 'UUID or name of a graph (default: the one of cairn.json)')
    .option('--all', 'also list the outputs that are current')
    .option('--json', 'print {"graph": …, "outputs": […], "runs": […]}')
    .addHelpText('after', notes)
    .action(async (paths: string[], flags: StatusFlags) => await status(io, paths, flags));
}

async function status(io: Io, paths: readonly string[], { graph, all, json }: StatusFlags): Promise<void> {
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const graphId =
    (await chosenGraph(client, settings, graph)) ??
    failUsage(
      'This folder has no graph, so nobody can tell what was recorded from it. Make one with "cairn init", or name one with --graph.',
    );
  const root = settings.folderFile?.folder ?? io.cwd;
  const runs = await recordedRuns(client, graphId);
  const items = runs.flatMap(({ program, inputs, outputs }) => [...program, ...inputs, ...outputs]);
  const here = await whatIsHere(io, root, items.filter(isInside));
  const found = compareOutputs(runs, (path) => here.get(path) ?? { missing: true });
  const wanted = outputsAt(found, paths, { cwd: io.cwd, root });
  if (found.length === 0)
    failNo(`No output is recorded in the graph ${graphId}. "cairn record" records some.`);
  const late = wanted.filter(isLate);
  const lateIn = new Set(late.map(({ run }) => run));
  // Inputs are made before what is made from them.
  const lateRuns = runs.toReversed().filter((run) => lateIn.has(run));
  const remake = (run: RecordedRun) => remakeOf(run, graph);
  if (json) {
    const outputs = wanted.map(({ run, reasons, ...output }) => ({
      ...output,
      state: reasons.length > 0 ? 'out_of_date' : 'current',
      reasons,
      run: run.id,
    }));
    const about = (run: RecordedRun) => ({ id: run.id, name: run.facts.name ?? null, remake: remake(run) });
    await writeText(io, indented({ graph: graphId, outputs, runs: lateRuns.map(about) }));
  } else await writeText(io, statusText(wanted, lateRuns, { cwd: io.cwd, root, all, remake }));
  tellOutside(
    io,
    items.filter((item) => !isInside(item)).map(({ path }) => path),
  );
  if (late.length > 0)
    failNo(
      `${late.length} of ${counted(wanted.length, 'output')} ${late.length === 1 ? 'is' : 'are'} out of date.`,
    );
}

interface Folders {
  readonly cwd: string;
  readonly root: string;
}

function outputsAt(
  outputs: readonly OutputStatus[],
  paths: readonly string[],
  { cwd, root }: Folders,
): readonly OutputStatus[] {
  const within = (wanted: string) => (output: OutputStatus) =>
    isBelow(resolve(root, output.path), resolve(cwd, wanted));
  for (const path of paths) {
    if (!outputs.some(within(path))) failNo(`No recorded output is at ${nameText(path, 200)}.`);
  }
  return paths.length === 0
    ? outputs
    : outputs.filter((output) => paths.some((path) => within(path)(output)));
}

const longestRemake = 4_000;

interface Shown extends Folders {
  readonly all: true | undefined;
  readonly remake: (run: RecordedRun) => ReturnType<typeof remakeOf>;
}

function isLate({ reasons }: OutputStatus): boolean {
  return reasons.length > 0;
}

/** Outputs that are out of date, by run. */
function statusText(
  outputs: readonly OutputStatus[],
  runs: readonly RecordedRun[],
  { cwd, root, all, remake }: Shown,
): string {
  const shown = (path: string) => printableLine(relative(cwd, resolve(root, path)) || '.');
  const late = Map.groupBy(outputs.filter(isLate), ({ run }) => run);
  const parts = runs.map((run) => {
    const lines = (late.get(run) ?? []).flatMap(({ path, reasons }) => [
      `  ${shown(path)}`,
      ...reasons.map((reason) => `    ${reasonText(reason, shown)}`),
    ]);
    const again = remake(run);
    const folder = relative(cwd, resolve(root, again?.folder ?? ''));
    const line =
      again &&
      (folder === ''
        ? shellLine(again.command)
        : `(cd ${shellLine([folder])} && ${shellLine(again.command)})`);
    const advice = line
      ? `  ${cutLine(printableLine(line), longestRemake)}`
      : '  Run the program that called record() again.';
    return `${nameText(run.facts.name ?? '-')} (${shortId(run.id)})\n${lines.join('\n')}\n${advice}\n`;
  });
  const current = outputs.filter((output) => !isLate(output));
  const listed = all ? current.map(({ path }) => `  ${shown(path)}\n`).join('') : '';
  const end = current.length > 0 ? [`${counted(current.length, 'output')} current.\n${listed}`] : [];
  return [...parts, ...end].join('\n');
}

const mostNamed = 5;

function tellOutside(io: Io, paths: readonly string[]): void {
  const names = [...new Set(paths)];
  if (names.length === 0) return;
  const named = names
    .slice(0, mostNamed)
    .map((path) => nameText(path))
    .join(', ');
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  say(io, `Not compared, because they are outside the folder of the recording: ${named}${more}.`);
}
