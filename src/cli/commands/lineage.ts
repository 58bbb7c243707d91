import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseIdentifier, parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { isStatementKind, statementKindNames } from '../../domain/integrity/kinds/registry.ts';
import { type Direction, directions, type Flow } from '../../domain/integrity/lineage/edges.ts';
import { lineageBounds } from '../../domain/integrity/lineage/lineage.ts';
import { answerJson, answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import type { Io } from '../terminal/io.ts';
import { textTree } from '../terminal/text-tree.ts';
import { writeOut, writeText } from '../terminal/write-out.ts';
import { type LineageAnswer, lineageAnswer } from './lineage/lineage-answer.ts';
import { lineageTree } from './lineage/lineage-tree.ts';

interface LineageFlags {
  readonly direction: Direction;
  readonly depth: number;
  readonly limit: number;
  readonly kinds?: string;
  readonly graph?: string;
  readonly dot?: true;
  readonly mermaid?: true;
  readonly json?: true;
}

const notes = `
Each node is shown once with its branches. Other mentions say "see above" or "see below". If a bound hides edges of a
node, their number is shown with the command that shows them.

Examples:
  $ cairn lineage bafkr4i… --direction upstream
  $ cairn lineage did:key:z6Mk… --limit 2000
  $ cairn lineage bafkr4i… --kinds ComputationRegistration --dot | dot -Tsvg > lineage.svg`;

export function lineageCommand(program: Command, io: Io): void {
  const drawings = ['dot', 'mermaid', 'json'];
  const drawing = (flag: string, description: string) =>
    new Option(`--${flag}`, description).conflicts(drawings.filter((other) => other !== flag));
  program
    .command('lineage')
    .description('show the origins and products of something, and who vouches for them')
    .argument('<id>', 'a CID, UUID or DID; for a statement either of its CIDs')
    .addOption(
      new Option('--direction <way>', 'what it was made from, or what was made from it')
        .choices(Object.keys(directions))
        .default('both'),
    )
    .addOption(bound('depth', 'maximum number of computations between the id and a node'))
    .addOption(bound('limit', 'maximum number of nodes'))
    .option('--kinds <kinds>', 'only statements of these kinds, separated by commas', kindsOfStatements)
    .option('--graph <uuid>', 'only statements of this graph')
    .addOption(drawing('dot', 'print a drawing for Graphviz'))
    .addOption(drawing('mermaid', 'print a Mermaid flowchart'))
    .addOption(drawing('json', "print the service's JSON answer"))
    .addHelpText('after', notes)
    .action(async (id: string, flags: LineageFlags) => await showLineage(io, id, flags));
}

function bound(name: keyof typeof lineageBounds, description: string): Option {
  const { least, most, usual } = lineageBounds[name];
  return new Option(`--${name} <count>`, description).default(usual).argParser((text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  });
}

function kindsOfStatements(text: string): string {
  if (text.split(',').every(isStatementKind)) return text;
  throw new InvalidArgumentError(`They must be among ${statementKindNames.join(', ')}.`);
}

async function showLineage(io: Io, text: string, flags: LineageFlags): Promise<void> {
  const id = parseIdentifier(text);
  const graph = flags.graph === undefined ? undefined : parseUuid(flags.graph, '--graph');
  const client = openClient(readClientSettings(io));
  const query = new URLSearchParams({
    direction: flags.direction,
    depth: String(flags.depth),
    limit: String(flags.limit),
    ...(flags.kinds !== undefined && { kinds: flags.kinds }),
    ...(graph !== undefined && { graph_id: graph }),
  });
  const accept = flags.dot ? 'text/vnd.graphviz' : flags.mermaid ? 'text/vnd.mermaid' : 'application/json';
  const path = `/lineage/v1/${encodeURIComponent(id)}?${query}`;
  const response = await client.send('GET', path, { headers: { accept } });
  if (flags.dot || flags.mermaid) await writeText(io, await answerText(response));
  else if (flags.json) await writeText(io, `${await answerText(response)}\n`);
  else await printTree(io, await answerJson(response, lineageAnswer), { ...flags, graph });
}

async function printTree(io: Io, answer: LineageAnswer, flags: LineageFlags): Promise<void> {
  const adviceFor = (id: string, flow: Flow | undefined) =>
    id === answer.id ? 'raise --depth or --limit' : commandFor(id, flow ?? flags.direction, flags);
  const tree = lineageTree(answer, { flows: directions[flags.direction], adviceFor });
  for (const line of textTree(tree)) await writeOut(io, `${line}\n`);
}

function commandFor(id: string, direction: Direction, { kinds, graph }: LineageFlags): string {
  const parts = [
    `cairn lineage ${shellWord(id)} --direction ${direction}`,
    kinds && `--kinds ${kinds}`,
    graph && `--graph ${graph}`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Quotes an untrusted identifier for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.:%/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
