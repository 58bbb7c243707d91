import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { CountedGraphAnswer } from '../../contract/integrity/graphs.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { countText, graphIdOf, nameText, readGraphs, registerGraph } from '../client/graphs.ts';
import type { Io } from '../terminal/io.ts';
import { indented, table, writeText } from '../terminal/output.ts';

interface JsonFlag {
  readonly json?: true;
}

const notes = `
A graph groups statements, so that they can be exported together. Graphs form trees. A tree belongs to a project: the one
whose UUID its root has, unless the root was registered in another.

Examples:
  $ cairn graph create "Credit model"
  $ cairn graph create "Run 42" --parent "Credit model"
  $ cairn graph list
  $ cairn graph show "Credit model"`;

export function graphCommand(program: Command, io: Io): void {
  const group = program.command('graph').description('make and list graphs').addHelpText('after', notes);
  group
    .command('create')
    .description('make a graph and print its UUID')
    .argument('<name>', 'a name for people')
    .option('--parent <graph>', 'UUID or name of the graph above it')
    .option('--json', 'print the graph as a JSON object')
    .action(async (name: string, flags: JsonFlag & { parent?: string }) => await create(io, name, flags));
  group
    .command('list')
    .description('list the graphs without a parent')
    .option('--json', 'print {"graphs": […]}')
    .action(async ({ json }: JsonFlag) => {
      const { graphs } = await readGraphs(openClient(readClientSettings(io)), null);
      await writeText(io, json ? indented({ graphs }) : graphTable(graphs));
    });
  group
    .command('show')
    .description('show a graph and the graphs below it')
    .argument('<graph>', 'UUID or name')
    .option('--json', 'print {"graph": …, "graphs": […]}')
    .action(async (name: string, { json }: JsonFlag) => {
      const client = openClient(readClientSettings(io));
      const shown = await readGraphs(client, await graphIdOf(client, name));
      await writeText(io, json ? indented(shown) : report(shown));
    });
}

async function create(io: Io, name: string, { parent, json }: JsonFlag & { parent?: string }): Promise<void> {
  const client = openClient(readClientSettings(io));
  const parentId = parent === undefined ? undefined : await graphIdOf(client, parent);
  const made = await registerGraph(client, { graphId: randomUUID(), name, parentId });
  await writeText(io, json ? `${JSON.stringify(made)}\n` : `${made.graph_id}\n`);
}

function graphTable(graphs: readonly CountedGraphAnswer[]): string {
  const rows = graphs.map((one) => {
    const project = one.project_id === one.graph_id ? 'its own' : one.project_id;
    return [one.graph_id, countText(one), project, nameText(one.name, 24)];
  });
  return table([['GRAPH', 'STATEMENTS', 'PROJECT', 'NAME'], ...rows]);
}

function report({ graph, graphs }: Awaited<ReturnType<typeof readGraphs>>): string {
  if (!graph) return graphTable(graphs);
  const lines = [
    ['name', nameText(graph.name, 500)],
    ['graph', graph.graph_id],
    ['parent', graph.parent_id ?? '-'],
    ['project', graph.project_id],
    ['statements', countText(graph)],
  ];
  return table(lines) + (graphs.length > 0 ? `\n${graphTable(graphs)}` : '');
}
