import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openSigner, writeNewKey } from '../../platform/key-file-signer.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { fileToWrite } from '../client/download.ts';
import { chosenGraph } from '../client/graphs.ts';
import { ownKey } from '../client/own-key.ts';
import { nameOwnKey, ownName } from '../client/own-name.ts';
import { storeParcel } from '../record/store.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say, writeText } from '../terminal/output.ts';

const examples = `
The file holds a private key as a JWK. Only its owner can read it. The printed did:key holds the public key.

Examples:
  $ cairn key create my-key.json
  $ cairn key create --p256 signing-key.json`;

const aboutNames = `
The key signs its name, so nobody else can change it. "cairn record" stores the name with what it records, so whoever may see
that sees the name. With a graph of this folder (cairn init) or --graph, it is stored at once. Without a name, the command
prints the present one.

Examples:
  $ cairn key name "Ada Lovelace"
  $ cairn key name "Nightly training" --key trainer.json --graph credit-model`;

interface NameFlags {
  readonly key?: string;
  readonly graph?: string;
  readonly json?: true;
}

export function keyCommand(program: Command, io: Io): void {
  const key = program.command('key').description('make and name keys');
  key
    .command('create')
    .description('make a key in a new file and print its did:key')
    .argument('<file>', 'where to write the key; an existing file is not changed')
    .option('--p256', 'make a key on P-256 instead of Ed25519')
    .option('--json', 'print JSON: {"did", "file"}')
    .addHelpText('after', examples)
    .action(async (file: string, { p256, json }: { readonly p256?: true; readonly json?: true }) => {
      const path = await fileToWrite(resolve(io.cwd, file));
      await writeNewKey(path, p256 ? 'P-256' : 'Ed25519').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST')
          failUsage(`${file} exists. It may hold a key that is in use. Choose another name.`);
        throw cause;
      });
      const { did } = await openSigner(path, { mayCreate: false });
      await writeText(io, json ? `${JSON.stringify({ did, file })}\n` : `${did}\n`);
    });
  key
    .command('name')
    .description('say who you are: the name that others see beside your DID')
    .argument('[name]', 'your name, or what the key is used for')
    .option('--key <key file>', 'the key to name (default: your own)')
    .option('--graph <graph>', 'UUID or name of a graph (default: the one of cairn.json)')
    .option('--json', 'print JSON: {"did", "name"}')
    .addHelpText('after', aboutNames)
    .action(async (name: string | undefined, flags: NameFlags) => await nameKey(io, name, flags));
}

async function nameKey(io: Io, given: string | undefined, { key, graph, json }: NameFlags): Promise<void> {
  const file = key === undefined ? (await ownKey(io)).file : resolve(io.cwd, key);
  const { did } = await openSigner(file, { mayCreate: false });
  const named = given === undefined ? await ownName(io.env, did) : await nameOwnKey(io.env, file, given);
  if (!named) failNo(`${did} has no name yet. Give it one with: cairn key name "Your Name"`);
  const { name, document, statements } = named;
  if (given !== undefined) {
    const settings = readClientSettings(io);
    if (graph !== undefined || settings.folderFile) {
      const client = openClient(settings);
      const graphId = await chosenGraph(client, settings, graph);
      await storeParcel(io, client, { graphId, blobs: [document], statements });
    } else say(io, 'The name is stored with what you record from now on.');
  }
  await writeText(io, json ? `${JSON.stringify({ did, name })}\n` : `${did}  ${name}\n`);
}
