import type { Command } from 'commander';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { chosenGraph } from '../client/graphs.ts';
import { pathKind } from '../client/local-files.ts';
import { manifestForm } from '../client/manifest-form.ts';
import { ownKey } from '../client/own-key.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { importFiles } from './import/evidence.ts';
import { importManifest, type ManifestFlags } from './import/manifest.ts';

const notes = `
A file of evidence is stored as it is. The service finds out what it is, and statements that follow from it are stored beside
it: what was made from what, names, and the signatures of the original signers. You are their registrant (cairn key). The same
file gives the same statements, so a repeat stores nothing. A folder is searched for files of evidence, and for MLflow runs in
folders and in mlflow.db; other files in it are left out. Each line of JSON lines is a file of its own. A refused file or line
is reported, and the others go on; the exit code is 1 then.

A manifest is imported alone. The service recomputes every id and hash, and stores nothing if one is wrong. The content is
registered in a new graph, which appears completely or not at all. After an interruption, run the same command again with the
graph that it printed. Nothing is stored twice.

Examples:
  $ cairn import app.intoto.jsonl sbom.cdx.json
  $ cairn import attestations/ --graph "my product"
  $ cairn import evidence.car --graph 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --name "Audit 2026"`;

export function importCommand(program: Command, io: Io): void {
  program
    .command('import')
    .description('import evidence that other tools have written, or a manifest')
    .argument('<file...>', 'files or folders with evidence, or a manifest (JSON or CAR)')
    .option('--graph <graph>', 'UUID or name of the graph for evidence; UUID of the new graph of a manifest')
    .option('--name <name>', 'name of the new graph of a manifest')
    .option('--parent <graph>', 'UUID or name of the graph above the new one')
    .option('--json', 'print the result as a JSON object, for evidence one per file or line')
    .addHelpText('after', notes)
    .action(async (paths: string[], flags: ManifestFlags) => await importPaths(io, paths, flags));
}

async function importPaths(io: Io, paths: readonly string[], flags: ManifestFlags): Promise<void> {
  const [path = '', ...others] = paths;
  const form =
    others.length === 0 && (await pathKind(path)) === 'file' ? await manifestForm(path) : undefined;
  if (form) return await importManifest(io, path, form, flags);
  if (flags.name !== undefined || flags.parent !== undefined)
    failUsage('--name and --parent are for a manifest, which is imported alone.');
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const graphId = await chosenGraph(client, settings, flags.graph);
  const { did } = await ownKey(io);
  await importFiles(io, paths, { client, graphId, registeredBy: did, asJson: flags.json ?? false });
}
