import { stat } from 'node:fs/promises';
import pMap from 'p-map';
import { fileChunks, filesBelow, type NamedFile, pathKind } from '../../client/local-files.ts';
import { explanationOf, isSystemError } from '../../terminal/explanation.ts';
import { Failure, failUsage } from '../../terminal/failure.ts';
import { isEvidence } from './is-evidence.ts';
import { looksUnlike } from './looks.ts';
import { isBelow, type MlflowFolder, mlflowDocument, mlflowFolders } from './mlflow.ts';
import { mlflowDatabaseRuns } from './mlflow-database.ts';

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
  readonly unreadable: readonly UnreadableFile[];
}

interface UnreadableFile {
  readonly file: string;
  readonly error: string;
}

/**
 * The files of a path. In a folder, files that are no evidence are left out, and links are not followed. The folder of an MLflow
 * run is one document, and so is each run in a database of MLflow.
 */
export async function filesAt(path: string): Promise<FoundFiles> {
  const kind = await pathKind(path);
  if (!kind) failUsage(`The file or folder ${path} does not exist.`);
  if (kind === 'stream') failUsage(`${path} is not a regular file.`);
  if (kind === 'file') {
    const unlike = await looksUnlike(path);
    if (unlike === undefined) return { files: [await localFile(path)], left: [], unreadable: [] };
    const runs = await databaseRuns(path);
    return runs ? { files: runs, left: [], unreadable: [] } : failUsage(`${path} is no evidence. ${unlike}`);
  }
  const left: string[] = [];
  const all = await Array.fromAsync(filesBelow(path, (name) => left.push(name)));
  const unreadable: UnreadableFile[] = [];
  const readable = async <Result>(file: string, read: () => Promise<Result>) => {
    try {
      return await read();
    } catch (error) {
      if (!isSystemError(error) && !(error instanceof Failure)) throw error;
      unreadable.push({ file, error: explanationOf(error).trim() });
      return undefined;
    }
  };
  const { folders, others } = await mlflowFiles(all);
  const runs: LocalFile[] = [];
  for (const folder of folders) {
    const run = await readable(folder.path, async () => await mlflowRun(folder));
    if (run) runs.push(run);
  }
  const found: string[] = [];
  for (const { path: file, name } of others) {
    const evidence = await readable(file, async () =>
      (await looksUnlike(file)) === undefined
        ? await isEvidence(file)
        : ((await databaseRuns(file)) ?? false),
    );
    if (Array.isArray(evidence)) runs.push(...evidence);
    else if (evidence) found.push(file);
    else if (evidence === false) left.push(name);
  }
  const files = await pMap(found.sort(), async (file) => await readable(file, () => localFile(file)), {
    concurrency: 16,
  });
  return { files: [...runs, ...files.filter((file) => file !== undefined)], left, unreadable };
}

export async function localFile(path: string): Promise<LocalFile> {
  return { path, size: (await stat(path)).size, isWhole: false, bytes: () => fileChunks(path) };
}

/** The folders of MLflow, and the files that are in none of them. */
async function mlflowFiles(files: readonly NamedFile[]) {
  const folders = await mlflowFolders(files);
  const paths = new Set(folders.map(({ path }) => path));
  return { folders, others: files.filter(({ path }) => !isBelow(paths, path)) };
}

async function mlflowRun(folder: MlflowFolder): Promise<LocalFile | undefined> {
  const bytes = folder.kind === 'run' ? await mlflowDocument(folder) : undefined;
  if (!bytes) return undefined;
  return wholeDocument(folder.path, bytes);
}

/** The runs in the database of MLflow; undefined for other files. */
async function databaseRuns(path: string): Promise<LocalFile[] | undefined> {
  const runs = await mlflowDatabaseRuns(path);
  return runs?.map(({ id, document }) => wholeDocument(`${path}#${id}`, document));
}

function wholeDocument(path: string, document: Uint8Array): LocalFile {
  const bytes = async function* () {
    yield document;
  };
  return { path, size: document.length, isWhole: true, bytes };
}
