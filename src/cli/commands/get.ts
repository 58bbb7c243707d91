import { join } from 'node:path';
import type { Command } from 'commander';
import { contentFileName } from '../../contract/words/file-name.ts';
import { type Cid, urnsOfBytes } from '../../domain/integrity/identifiers/cid.ts';
import { hasher } from '../../domain/integrity/identifiers/hashing.ts';
import { type ApiClient, answerBytes, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { contentOf, download, fileToWrite } from '../client/download.ts';
import { cidOrFile } from '../client/identifier-or-file.ts';
import { pathKind } from '../client/local-files.ts';
import { askNames } from '../client/names.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeBytes, writeText } from '../terminal/output.ts';

const examples = `
The bytes are verified against the CID as they arrive. With --output, FILE appears only when it is complete and
verified. An interrupted download resumes where it stopped.
In a folder the file gets the name of the artefact, and no file that is there is replaced. For a statement id the bytes are its canonical N-Quads, for a jcs_cid its RFC 8785 form.

Examples:
  $ cairn get bafkr4i… -o model.safetensors
  $ cairn get bafkr4i… -o downloads/
  $ cairn get urn:cid:bagb6qaq6e…`;

export function getCommand(program: Command, io: Io): void {
  program
    .command('get')
    .description('download the content of a CID')
    .argument(
      '<cid or file>',
      'the CID, with or without urn:cid:, a digest (sha256:…), or a file or folder, which is hashed',
    )
    .option('-o, --output <file>', 'write to this file, or into this folder, instead of standard output')
    .addHelpText('after', examples)
    .action(async (cid: string, { output }: { output?: string }) => await get(io, cid, output));
}

async function get(io: Io, text: string, output: string | undefined): Promise<void> {
  const cid = await cidOrFile(io, text);
  const client = openClient(readClientSettings(io));
  if (output === undefined || output === '-') return await print(io, client, cid);
  const isFolder = (await pathKind(output)) === 'folder';
  const file = isFolder ? await fileIn(client, output, cid) : await fileToWrite(output);
  await download(io, client, contentOf(cid), file);
  if (isFolder) await writeText(io, `${file}\n`);
}

/** A new file of a folder, with the name of the artefact. Others have given the name, so it never replaces a file. */
async function fileIn(client: ApiClient, folder: string, cid: Cid): Promise<string> {
  const names = await askNames(client, urnsOfBytes(cid));
  const file = join(folder, contentFileName([...names.values()][0], cid));
  if ((await pathKind(file)) !== undefined) failUsage(`${file} exists. Name a file: -o FILE.`);
  return file;
}

async function print(io: Io, client: ApiClient, cid: Cid): Promise<void> {
  const headers = { 'accept-encoding': 'identity' };
  const response = await client.send('GET', `/store/v1/blob/${cid.text}`, { headers });
  const hash = hasher(cid.multihash);
  for await (const chunk of answerBytes(response)) {
    hash.update(chunk);
    await writeBytes(io, chunk);
  }
  if (Buffer.compare(hash.digest(), cid.digest) === 0) return;
  failNo(`The printed bytes do NOT match ${cid.text}. Do not use them.`);
}
