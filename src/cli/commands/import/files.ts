import { stat } from 'node:fs/promises';
import pMap from 'p-map';
import { fileChunks, filesBelow, type NamedFile, pathKind } from '../../client/local-files.ts';
import { failUsage } from '../../terminal/failure.ts';
import { isEvidence } from './is-evidence.ts';
import { looksUnlike } from './looks.ts';
import { isBelow, mlflowDocument, mlflowFolders } from './mlflow.ts';

/** A file to send, or a document about a folder. */
export interface LocalFile {
  readonly path: string;
  readonly size: number;
  readonly isWhole: boolean;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

interface FoundFiles {
  readonly files: readonly LocalFile[];
  /** The names of links, and of files that are no evidence. */
  readonly left: readonly string[];
}

/**
 * The files of a path. In a folder, files that are no evidence are left out, and links are not followed. The folder of an MLflow
 * run is one document.
 */
export async function filesAt(path: string): Promise<FoundFiles> {
  const kind = await pathKind(path);
  if (!kind) failUsage(`The file or folder ${path} does not exist.`);
  if (kind === 'stream') failUsage(`${path} is not a regular file.`);
  if (kind === 'file') {
    const unlike = await looksUnlike(path);
    if (unlike !== undefined) failUsage(`${path} is no evidence. ${unlike}`);
    return { files: [await localFile(path)], left: [] };
  }
  const left: string[] = [];
  const all = await Array.fromAsync(filesBelow(path, (name) => left.push(name)));
  const { runs, others } = await mlflowRuns(all);
  const found: string[] = [];
  for (const file of others) {
    const isLike = (await looksUnlike(file.path)) === undefined && (await isEvidence(file.path));
    if (isLike) found.push(file.path);
    else left.push(file.name);
  }
  return { files: [...runs, ...(await pMap(found.sort(), localFile, { concurrency: 16 }))], left };
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
  const paths = new Set(folders.map(({ path }) => path));
  const others = files.filter(({ path }) => !isBelow(paths, path));
  return { runs, others };
}
