import { type Command, Option } from 'commander';
import { type RunAnswer, type RunDetailsAnswer, runDetails, runs } from '../../../contract/integrity/runs.ts';
import {
  type ComparedRow,
  compareRuns,
  durationText,
  isDifferent,
  resultText,
  runTime,
  runTitle,
} from '../../../contract/words/runs.ts';
import { counted, shortId } from '../../../contract/words/text.ts';
import { trustMark, trustMarks } from '../../../contract/words/trust.ts';
import { type ApiClient, answerJson, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { graphIdOf, nameText } from '../../client/graphs.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, table, writeText } from '../../terminal/output.ts';
import { wholeNumber } from '../../terminal/whole-number.ts';
import { runNamed } from './run-named.ts';

interface ListFlags {
  readonly graph?: string;
  readonly name?: string;
  readonly limit: number;
  readonly json?: true;
}

interface CompareFlags {
  readonly all?: true;
  readonly json?: true;
}

const notes = `
A run is what "cairn record" has recorded, or another statement about a computation. Name it by its id, as the table shows it
or whole, or by its name: then the newest run with this name is meant.

Examples:
  $ cairn runs --limit 10
  $ cairn runs --name train --graph "Credit model"
  $ cairn runs compare train                       # the newest run, and the one of the same name before
  $ cairn runs compare bagb6qaq6…r4qo2i train --all`;

export function runsCommand(program: Command, io: Io): void {
  const group = program
    .command('runs')
    .description('list runs, newest first, and compare two of them')
    .option('--graph <graph>', 'only runs in this graph (UUID or name)')
    .option('--name <start>', 'only runs whose name starts so')
    .addOption(
      new Option('--limit <count>', 'at most so many runs').default(20).argParser(wholeNumber(1, mostListed)),
    )
    .option('--json', 'print {"runs": […]}')
    .addHelpText('after', notes)
    .action(async (flags: ListFlags) => await list(io, flags));
  group
    .command('compare')
    .description('show how two runs differ: parameters, metrics, inputs, command, environment, git')
    .argument('<a>', 'id or name of a run')
    .argument(
      '[b]',
      'id or name of another one (default: a is compared with the run of the same name before)',
    )
    .option('--all', 'also show what is equal')
    .option('--json', 'print {"a": …, "b": …, "sections": […]}')
    .action(async (a: string, b: string | undefined, _: unknown, command: Command) => {
      await compare(io, a, b, command.optsWithGlobals<CompareFlags>());
    });
}

const pageSize = 200;
const mostListed = 10_000;

async function list(io: Io, { graph, name, limit, json }: ListFlags): Promise<void> {
  const client = openClient(readClientSettings(io));
  const graphId = graph === undefined ? undefined : await graphIdOf(client, graph);
  const found: RunAnswer[] = [];
  for (let cursor: string | undefined; found.length < limit; ) {
    const query = new URLSearchParams({
      limit: String(Math.min(limit - found.length, pageSize)),
      ...(graphId !== undefined && { graph_id: graphId }),
      ...(name !== undefined && { name }),
      ...(cursor !== undefined && { cursor }),
    });
    const page = await answerJson(await client.send('GET', `/runs/v1?${query}`), runs);
    found.push(...page.runs);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  await writeText(io, json ? indented({ runs: found }) : runTable(found));
}

function runTable(found: readonly RunAnswer[]): string {
  if (found.length === 0)
    return 'No runs. Record one with: cairn record --name NAME --output FILE -- COMMAND\n';
  const rows = found.map((run) => [
    shortId(run.id),
    timeText(runTime(run)),
    run.duration === null ? '-' : durationText(run.duration),
    resultText(run),
    trustMarks[trustMark(run.trust)].label,
    run.by.map(({ id, name }) => nameText(name ?? shortId(id), 24)).join(', '),
    nameText(runTitle(run)),
  ]);
  return table([['RUN', 'STARTED', 'TOOK', 'RESULT', 'TRUST', 'BY', 'NAME'], ...rows]);
}

/** In UTC, because rows of several people are compared. */
function timeText(time: string | null): string {
  return time === null ? '-' : `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

async function compare(
  io: Io,
  first: string,
  second: string | undefined,
  { all, json }: CompareFlags,
): Promise<void> {
  const client = openClient(readClientSettings(io));
  const [a, b] = await twoRuns(client, first, second);
  const sections = compareRuns(a, b);
  if (json) return await writeText(io, indented({ a, b, sections }));
  const shown = sections.flatMap((section) => {
    const rows = section.rows.filter(({ differs }) => all || differs);
    return rows.length === 0 ? [] : [`${section.title}\n${table(rows.map(cells))}`];
  });
  const equal = sections.flatMap(({ rows }) => rows).filter(({ differs }) => !differs).length;
  const rest = all || equal === 0 ? '' : `${counted(equal, 'fact is', 'facts are')} equal (--all).\n`;
  const heads = table([
    ['A', shortId(a.id), timeText(runTime(a)), nameText(runTitle(a))],
    ['B', shortId(b.id), timeText(runTime(b)), nameText(runTitle(b))],
  ]);
  const nothing = sections.some(isDifferent) ? '' : 'Nothing differs.\n';
  await writeText(io, [heads, ...shown, nothing + rest].filter(Boolean).join('\n'));
}

/** The earlier run first, if only one is named. */
async function twoRuns(
  client: ApiClient,
  first: string,
  second: string | undefined,
): Promise<[RunDetailsAnswer, RunDetailsAnswer]> {
  const run = await detailsOf(client, await runNamed(client, first));
  if (second !== undefined) return [run, await detailsOf(client, await runNamed(client, second))];
  const before = run.before ?? failNo(`No run that is called "${runTitle(run)}" came before. Name two runs.`);
  return [await detailsOf(client, before), run];
}

async function detailsOf(client: ApiClient, id: string): Promise<RunDetailsAnswer> {
  return await answerJson(await client.send('GET', `/runs/v1/${encodeURIComponent(id)}`), runDetails);
}

const widest = 48;

function cells({ name, a, b, differs, change }: ComparedRow): string[] {
  const value = (text: string | undefined) => nameText(text ?? '-', widest);
  return [differs ? '*' : ' ', nameText(name, widest), value(a), value(b), change ?? ''];
}
