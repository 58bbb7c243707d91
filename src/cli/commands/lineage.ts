import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LineageAnswer, lineage } from '../../contract/integrity/lineage.ts';
import { cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { isStatementKind, statementKindNames } from '../../domain/integrity/kinds/registry.ts';
import { type Direction, directions, type Flow } from '../../domain/integrity/lineage/edges.ts';
import { lineageBounds } from '../../domain/integrity/lineage/lineage.ts';
import { type ApiClient, ApiRefusal, answerJson, answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { graphIdOf } from '../client/graphs.ts';
import { identifierOrFile, isPath } from '../client/identifier-or-file.ts';
import { fileCid, pathKind } from '../client/local-files.ts';
import { cutLine, lineWidth } from '../terminal/identifier.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine, type TextTree, textTree, writeText } from '../terminal/output.ts';
import { wholeNumber } from '../terminal/whole-number.ts';
import { FoldedTree } from './lineage/folded-tree.ts';
import { LineageTree } from './lineage/lineage-tree.ts';
import { lineageSummary, titlesOf } from './lineage/lineage-words.ts';

interface LineageFlags {
  readonly direction: Direction;
  readonly depth: number;
  readonly limit: number;
  readonly kinds?: string;
  readonly graph?: string;
  readonly includeRetracted?: true;
  readonly full?: true;
  readonly dot?: true;
  readonly mermaid?: true;
  readonly json?: true;
}

const notes = `
A file or folder is hashed. A name comes from metadata and is the word of whoever registered it.

A summary comes first, then the nearest part of the lineage: everything about the start, and what went into computations and
came out of them. "… 7 more" stands for what is folded. --full shows every node and statement with whole identifiers, each
node once with its branches, and the command that shows what a bound hides.

Examples:
  $ cairn lineage model.bin
  $ cairn lineage bafkr4i… --direction upstream --full
  $ cairn lineage did:key:z6Mk… --limit 2000
  $ cairn lineage bafkr4i… --kinds ComputationRegistration --dot | dot -Tsvg > lineage.svg`;

export function lineageCommand(program: Command, io: Io): void {
  const direction = new Option('--direction <way>', 'what it was made from, or what was made from it');
  const drawings = ['dot', 'mermaid', 'json'];
  const drawing = (flag: string, description: string) =>
    new Option(`--${flag}`, description).conflicts(drawings.filter((other) => other !== flag));
  program
    .command('lineage')
    .description('show the origins and products of something, and who vouches for them')
    .argument(
      '<id or file>',
      'a CID, UUID or DID (for a statement either of its CIDs), a digest (sha256:…), or a file or folder',
    )
    .addOption(direction.choices(Object.keys(directions)).default('both'))
    .addOption(bound('depth', 'maximum number of computations between the id and a node'))
    .addOption(bound('limit', 'maximum number of nodes'))
    .option('--kinds <kinds>', 'only statements of these kinds, separated by commas', kindsOfStatements)
    .option('--graph <graph>', 'only statements of this graph (UUID or name)')
    .option('--include-retracted', 'also show and follow computations that were retracted')
    .option('--full', 'show everything, with whole identifiers')
    .addOption(drawing('dot', 'print a drawing for Graphviz'))
    .addOption(drawing('mermaid', 'print a Mermaid flowchart'))
    .addOption(drawing('json', "print the service's JSON answer"))
    .addHelpText('after', notes)
    .action(async (id: string, flags: LineageFlags) => await showLineage(io, id, flags));
}

function bound(name: keyof typeof lineageBounds, description: string): Option {
  const { least, most, usual } = lineageBounds[name];
  return new Option(`--${name} <count>`, description).default(usual).argParser(wholeNumber(least, most));
}

function kindsOfStatements(text: string): string {
  if (text.split(',').every(isStatementKind)) return text;
  throw new InvalidArgumentError(`They must be among ${statementKindNames.join(', ')}.`);
}

async function showLineage(io: Io, text: string, flags: LineageFlags): Promise<void> {
  const id = await identifierOrFile(io, text);
  const client = openClient(readClientSettings(io));
  const graph = flags.graph === undefined ? undefined : await graphIdOf(client, flags.graph);
  const query = new URLSearchParams({
    direction: flags.direction,
    depth: String(flags.depth),
    limit: String(flags.limit),
    ...(flags.kinds !== undefined && { kinds: flags.kinds }),
    ...(graph !== undefined && { graph_id: graph }),
    ...(flags.includeRetracted && { include_retracted: 'true' }),
  });
  const accept = flags.dot ? 'text/vnd.graphviz' : flags.mermaid ? 'text/vnd.mermaid' : 'application/json';
  const ask = async (asked: string) =>
    await client.send('GET', `/lineage/v1/${encodeURIComponent(asked)}?${query}`, { headers: { accept } });
  const askBySha256 = async () => {
    const other = await sha256Of(io, text);
    return other === undefined ? undefined : await ask(other).catch(unlessUnknown);
  };
  const response = await ask(id).catch(
    async (error: unknown) => (isUnknown(error) && (await askBySha256())) || failUnknown(error, text),
  );
  if (flags.dot || flags.mermaid) return await writeText(io, await answerText(response));
  if (flags.json) return await writeText(io, `${await answerText(response)}\n`);
  const answer = await answerJson(response, lineage);
  const other = answer.edges.length === 0 ? await askBySha256() : undefined;
  await print(io, client, other ? await answerJson(other, lineage) : answer, { ...flags, graph });
}

/** Others name a file by its SHA-256, which the service knows of stored files, but only soon after they were stored. */
async function sha256Of(io: Io, text: string): Promise<string | undefined> {
  if (!isPath(text)) return undefined;
  const path = resolve(io.cwd, text);
  if ((await pathKind(path)) !== 'file') return undefined;
  return cidUrn((await fileCid(path, { codec: codecs.raw, multihash: 'sha2-256' })).cid);
}

function isUnknown(error: unknown): error is ApiRefusal {
  return error instanceof ApiRefusal && error.code === 'not_found';
}

function unlessUnknown(error: unknown): undefined {
  if (!isUnknown(error)) throw error;
}

function failUnknown(error: unknown, text: string): never {
  if (!isUnknown(error) || !isPath(text)) throw error;
  const advice = `To find evidence that names it by another digest, such as SHA-512, store it: cairn put ${shellWord(text)}`;
  throw new ApiRefusal(error.status, `${error.message} ${advice}`, error.code);
}

async function print(io: Io, client: ApiClient, answer: LineageAnswer, flags: LineageFlags): Promise<void> {
  const flows = directions[flags.direction];
  const titles = await titlesOf(client, answer);
  const width = flags.full ? Number.POSITIVE_INFINITY : lineWidth(io);
  const tree = flags.full ? wholeTree(answer, flags) : new FoldedTree(answer, titles).draw(flows);
  const lines = [...lineageSummary(answer, titles, flows), '', ...textTree(tree)];
  for (const line of lines) await writeText(io, `${cutLine(printableLine(line), width)}\n`);
}

function wholeTree(answer: LineageAnswer, flags: LineageFlags): TextTree {
  const adviceFor = (id: string, flow: Flow | undefined) =>
    id === answer.id ? 'raise --depth or --limit' : commandFor(id, flow ?? flags.direction, flags);
  return new LineageTree(answer, { flows: directions[flags.direction], adviceFor }).root();
}

function commandFor(id: string, direction: Direction, { kinds, graph, includeRetracted }: LineageFlags) {
  const parts = [
    `cairn lineage ${shellWord(id)} --direction ${direction}`,
    kinds && `--kinds ${kinds}`,
    graph && `--graph ${graph}`,
    includeRetracted && '--include-retracted',
    '--full',
  ];
  return parts.filter(Boolean).join(' ');
}

/** Quotes an untrusted identifier for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.:%/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
