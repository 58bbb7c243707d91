import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { type ApiClient, ApiRefusal, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { folderFileName, folderFileText } from '../client/folder-file.ts';
import { nameText, readGraphs, registerGraph } from '../client/graphs.ts';
import { writeWhole } from '../client/local-files.ts';
import { ownKey } from '../client/own-key.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';

const notes = `
Makes a graph for this folder and writes its UUID to ${folderFileName}, so that commands here and below need no --graph. If
CAIRN_URL is set, the file also keeps the address. Commit the file, so that others use the same graph. Running the command
again changes nothing, but registers the graph with a service that does not have it.

Examples:
  $ cairn init
  $ cairn init "Credit model"`;

export function initCommand(program: Command, io: Io): void {
  program
    .command('init')
    .description('make a graph for this folder and remember it')
    .argument('[name]', 'name of the graph (default: the name of the folder)')
    .option('--json', 'print JSON: {"graph_id", "name", "did", "file", "url"}')
    .addHelpText('after', notes)
    .action(async (name: string | undefined, flags: { json?: true }) => await init(io, name, flags));
}

async function init(io: Io, name = basename(io.cwd) || 'cairn', { json: asJson }: { json?: true } = {}) {
  const settings = readClientSettings(io);
  const { folderFile, url } = settings;
  const client = openClient(settings);
  const known = folderFile?.folder === io.cwd ? folderFile.graph : undefined;
  const graph = await registerOnce(client, known ?? randomUUID(), name);
  const file = join(io.cwd, folderFileName);
  if (known === undefined)
    await writeWhole(file, folderFileText({ graph: graph.graph_id, ...(io.env.CAIRN_URL && { url }) }));
  const { did } = await ownKey(io);
  const outcome = { graph_id: graph.graph_id, name: graph.name, did, file, url };
  const isKnown = known !== undefined;
  await writeText(io, asJson ? `${JSON.stringify(outcome)}\n` : `${advice({ ...outcome, isKnown })}\n`);
}

/** A graph that is registered keeps its name. */
async function registerOnce(client: ApiClient, graphId: string, name: string) {
  try {
    return await registerGraph(client, { graphId, name });
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== 'conflict') throw error;
    return (await readGraphs(client, graphId)).graph ?? { graph_id: graphId, name };
  }
}

interface Outcome {
  readonly graph_id: string;
  readonly name: string;
  readonly url: string;
  readonly isKnown: boolean;
}

function advice({ graph_id, name, url, isKnown }: Outcome): string {
  const text = nameText(name);
  return `${isKnown ? `This folder uses the graph "${text}"` : `Made the graph "${text}" for this folder`} (${graph_id}).
Commands in this folder call the service at ${url}. CAIRN_URL names another one.
Next, put this before a command of your pipeline:
  cairn record --name train --input data.csv --output model.bin -- python3 train.py
Then ask what a file was made from, and take the evidence along:
  cairn lineage model.bin
  cairn export -o evidence.car`;
}
