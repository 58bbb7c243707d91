import { stat } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cid, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { hashFolder } from '../client/hash-folder.ts';
import { fileBlob, fileChunks, filesBelow, type PathKind, pathKind } from '../client/local-files.ts';
import { storeBlobs } from '../client/store-blobs.ts';
import { type KnownBlob, type Naming, storeStream } from '../client/upload-blob.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine, writeText } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';

interface PutFlags {
  readonly codec?: number;
  readonly sha256?: true;
  readonly again?: true;
  readonly json?: true;
}

interface Source {
  readonly path: string;
  readonly kind: PathKind | 'stdin';
}

const examples = `
A file becomes a blob. A folder becomes an iroh collection of all regular files below it. Blobs that the service already
has are not sent again, except with --again, which repairs damaged ones.

Examples:
  $ cairn put model.safetensors
  $ cairn put --sha256 image.tar
  $ cairn put ./dataset
  $ tar c ./dataset | cairn put -`;

export function putCommand(program: Command, io: Io): void {
  program
    .command('put')
    .description('store files and folders and print their CIDs')
    .argument('<file...>', 'files or folders, or - for standard input')
    .option(
      '--codec <code>',
      'multicodec code of the CID, such as 0x55 or 85 (default: raw, 0x55)',
      codecCode,
    )
    .option('--sha256', 'use SHA2-256 for the CID instead of BLAKE3')
    .option('--again', 'send blobs even if the service has them, which repairs damaged ones')
    .option('--json', 'print one JSON object per line: {"cid", "name"}')
    .addHelpText('after', examples)
    .action(async (paths: string[], flags: PutFlags) => await put(io, paths, flags));
}

function codecCode(text: string): number {
  const code = /^(?:0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(code)) return code;
  throw new InvalidArgumentError('It must be a multicodec code, such as 0x55 or 85.');
}

async function put(io: Io, paths: readonly string[], flags: PutFlags): Promise<void> {
  const client = openClient(readClientSettings(io));
  const sources = await sourcesAt(paths);
  const { codec, sha256 } = flags;
  const naming: Naming = { codec: codec ?? codecs.raw, multihash: sha256 ? 'sha2-256' : 'blake3' };
  if (sources.some(({ kind }) => kind === 'folder') && (codec !== undefined || sha256))
    failUsage('A folder becomes a collection, whose CIDs have a fixed form. Leave out --codec and --sha256.');
  using progress = openProgress(io, { total: await totalBytes(sources) });
  const print = async (name: string, { text }: Cid) => {
    const line = flags.json ? JSON.stringify({ cid: text, name }) : `${text}  ${printableLine(name)}`;
    await writeText(io, `${line}\n`);
  };
  let done = 0;
  const onBytes = (count: number) => {
    done += count;
    progress.update(done, `${(done / 2 ** 20).toFixed(1)} MiB`);
  };
  const store = (blobs: readonly KnownBlob[]) => storeBlobs(client, blobs, { again: flags.again ?? false });
  for (const { path, kind } of sources) {
    if (kind === 'stdin' || kind === 'stream') {
      const bytes = kind === 'stdin' ? io.stdin : fileChunks(path);
      await print(path, await storeStream(client, bytes, naming));
    } else if (kind === 'file') {
      const blob = await fileBlob(path, naming, onBytes);
      await store([blob]);
      await print(path, blob.cid);
    } else {
      const folder = path.replace(/\/+$/, '');
      const onSkipped = (name: string, why: string) =>
        progress.log(`Skipped ${printableLine(`${folder}/${name}`)}: ${why}.`);
      const { files, collection, blobs } = await hashFolder(path, { onBytes, onSkipped });
      await store(blobs);
      for (const { name, cid } of files) await print(`${folder}/${name}`, cid);
      await print(`${folder}/`, collection);
    }
  }
}

async function sourcesAt(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    const kind = path === '-' ? 'stdin' : await pathKind(path);
    if (kind) sources.push({ path, kind });
    else missing.push(path);
  }
  if (missing.length > 0)
    failUsage(missing.map((path) => `The file or folder ${path} does not exist.`).join('\n'));
  return sources;
}

async function totalBytes(sources: readonly Source[]): Promise<number | undefined> {
  let total = 0;
  for (const { path, kind } of sources) {
    if (kind === 'stdin' || kind === 'stream') return undefined;
    const files = kind === 'folder' ? filesBelow(path, () => undefined) : [{ path }];
    for await (const file of files) total += (await stat(file.path)).size;
  }
  return total;
}
