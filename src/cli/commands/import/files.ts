import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import pMap from 'p-map';
import { fileChunks, filesBelow, type NamedFile, pathKind } from '../../client/local-files.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say } from '../../terminal/output.ts';
import { looksUnlike } from './looks.ts';
import { mlflowDocument, mlflowFolders } from './mlflow.ts';

/** A file to send, or a document about a folder. */
export interface LocalFile {
  readonly path: string;
  readonly size: number;
  readonly isWhole: boolean;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/**
 * The files of a path. In a folder, files in no known form are left out, and links are not followed. The folder of an MLflow run
 * is one document.
 */
export async function filesAt(io: Io, path: string): Promise<LocalFile[]> {
  const kind = await pathKind(path);
  if (!kind) failUsage(`The file or folder ${path} does not exist.`);
  if (kind === 'stream') failUsage(`${path} is not a regular file.`);
  if (kind === 'file') {
    const unlike = await looksUnlike(path);
    if (unlike !== undefined) failUsage(`${path} is no evidence. ${unlike}`);
    return [await localFile(path)];
  }
  const left: string[] = [];
  const all = await Array.fromAsync(filesBelow(path, (name) => left.push(name)));
  const { runs, others } = await mlflowRuns(all);
  const found: string[] = [];
  for (const file of others) {
    if ((await looksUnlike(file.path)) === undefined) found.push(file.path);
    else left.push(file.name);
  }
  if (left.length > 0)
    say(
      io,
      `Left out ${left.length} links and files in no known form, such as ${printableLine(left[0] ?? '')}.`,
    );
  return [...runs, ...(await pMap(found.sort(), localFile, { concurrency: 16 }))];
}

export async function localFile(path: string): Promise<LocalFile> {
  return { path, size: (await stat(path)).size, isWhole: false, bytes: () => fileChunks(path) };
}

async function mlflowRuns(files: readonly NamedFile[]) {
  const folders = await mlflowFolders(files);
  const runs: LocalFile[] = [];
  for (const folder of folders) {
    const bytes = folder.kind === 'run' ? await mlflowDocument(folder) : undefined;
    if (bytes)
      runs.push({
        path: folder.path,
        size: bytes.length,
        isWhole: true,
        bytes: async function* () {
          yield bytes;
        },
      });
  }
  const starts = folders.map(({ path }) => path + sep);
  const others = files.filter(({ path }) => !starts.some((start) => path.startsWith(start)));
  return { runs, others };
}
