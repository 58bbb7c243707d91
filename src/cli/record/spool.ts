import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { z } from 'zod';
import { type Cid, cidIn } from '../../domain/integrity/identifiers/cid.ts';
import { hasher } from '../../domain/integrity/identifiers/hashing.ts';
import { pathKind } from '../client/local-files.ts';
import type { KnownBlob } from '../client/upload-blob.ts';
import { explanationOf } from '../terminal/explanation.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';
import type { Parcel } from './store.ts';

/** The marker of a spooled recording. It is in a folder that appears only when it is complete. */
const recordFile = 'record.json';
const statementsFile = 'statements.ndjson';
const blobsFolder = 'blobs';
const filesAtOnce = 4;

const record = z.object({
  version: z.literal(1),
  name: z.string(),
  graph_id: z.string().nullable(),
  statements: z.int(),
  blobs: z.int(),
});

/** The name of a recording in a spool. */
const folderName = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/**
 * Writes a recording into a spool: `<spool>/<time>-<id>/` with `record.json`, `statements.ndjson` and `blobs/<cid>`. A
 * process that ends in the middle leaves a folder that starts with a dot, which nobody reads.
 * @returns the folder.
 */
export async function spoolParcel(
  io: Pick<Io, 'stderr'>,
  spool: string,
  { name, parcel }: { readonly name: string; readonly parcel: Parcel },
): Promise<string> {
  const id = `${new Date().toISOString().replace(/\W/g, '')}-${randomUUID().slice(0, 8)}`;
  const staged = join(spool, `.${id}`);
  try {
    await writeParcel(io, staged, { name, parcel });
    await rename(staged, join(spool, id));
  } catch (cause) {
    await rm(staged, { recursive: true, force: true }).catch(() => undefined);
    const reason = explanationOf(cause).trim();
    failNo(`The run cannot be kept in ${spool}: ${reason} Nothing was recorded.`, { cause });
  }
  return join(spool, id);
}

/** Makes the folder of a spool. @throws Failure (usage) if nothing can be written there. */
export async function openSpool(spool: string): Promise<void> {
  try {
    await mkdir(spool, { recursive: true });
    await access(spool, constants.W_OK);
  } catch {
    failUsage(`This user cannot write to ${spool}. Name another folder with --spool.`);
  }
}

async function writeParcel(
  io: Pick<Io, 'stderr'>,
  staged: string,
  { name, parcel }: { readonly name: string; readonly parcel: Parcel },
): Promise<void> {
  await mkdir(join(staged, blobsFolder), { recursive: true });
  const blobs = await copyBlobs(io, parcel.blobs, join(staged, blobsFolder));
  const lines = parcel.statements.map((bytes) => `${Buffer.from(bytes).toString()}\n`).join('');
  await writeFile(join(staged, statementsFile), lines, { flush: true });
  const statements = parcel.statements.length;
  const content: z.input<typeof record> = { version: 1, name, graph_id: parcel.graphId, statements, blobs };
  await writeFile(join(staged, recordFile), `${JSON.stringify(content, null, 2)}\n`, { flush: true });
}

/** @returns how many distinct blobs there are. */
async function copyBlobs(io: Pick<Io, 'stderr'>, blobs: readonly KnownBlob[], folder: string) {
  const distinct = [...new Map(blobs.map((blob) => [blob.cid.text, blob])).values()];
  using progress = openProgress(io, { total: distinct.length });
  let done = 0;
  const total = distinct.length.toLocaleString('en');
  const copy = async ({ cid, bytes }: KnownBlob) => {
    const hash = hasher(cid.multihash);
    await using file = await open(join(folder, cid.text), 'w');
    for await (const chunk of bytes()) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    if (Buffer.compare(hash.digest(), cid.digest) !== 0)
      failNo(`A file with the CID ${cid.text} changed while it was copied.`);
    done += 1;
    progress.update(done, `copying ${done.toLocaleString('en')} of ${total} files`);
  };
  await pMap(distinct, copy, { concurrency: filesAtOnce });
  return distinct.length;
}

/**
 * The spooled recordings of a folder, oldest first. The folder may also be one of them.
 * @throws Failure (usage) if it is not a spool.
 */
export async function spooledFolders(spool: string): Promise<string[]> {
  if (await isRecording(spool)) return [spool];
  const entries = (await readdir(spool, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.'));
  const found: string[] = [];
  for (const { name } of entries.filter((one) => one.isDirectory())) {
    // A recording that has lost its marker must not be passed over.
    if (folderName.test(name) || (await isRecording(join(spool, name)))) found.push(join(spool, name));
  }
  if (entries.length === 0 || found.length > 0) return found.toSorted();
  return failUsage(
    `${spool} is a folder. Name a file with one statement per line, or a folder that "cairn record --spool" has filled.`,
  );
}

async function isRecording(folder: string): Promise<boolean> {
  return (await pathKind(join(folder, recordFile))) === 'file';
}

/** @throws Failure (no) if a part is missing or damaged. The service checks the bytes of each part. */
export async function readSpooled(folder: string): Promise<{ name: string; parcel: Parcel }> {
  const content = record.safeParse(jsonIn(await textOf(folder, recordFile)));
  if (!content.success) failNo(`${recordFile} is damaged, or another version of cairn has written it.`);
  const { name, graph_id: graphId } = content.data;
  const statements = (await textOf(folder, statementsFile)).split('\n').filter(Boolean);
  const blobs = await blobsOf(join(folder, blobsFolder));
  if (statements.length !== content.data.statements)
    failNo(`${statementsFile} has ${statements.length} of ${content.data.statements} statements.`);
  if (blobs.length !== content.data.blobs)
    failNo(`${blobsFolder} has ${blobs.length} of ${content.data.blobs} files.`);
  return { name, parcel: { graphId, blobs, statements: statements.map((line) => Buffer.from(line)) } };
}

async function textOf(folder: string, file: string): Promise<string> {
  await assertFile(folder, file);
  const text = readFile(join(folder, file), 'utf8');
  return await text.catch((cause) => failNo(`${file} cannot be read.`, { cause }));
}

/** A pipe would be waited for without end. */
async function assertFile(folder: string, name: string): Promise<void> {
  const kind = await pathKind(join(folder, name));
  if (kind !== 'file') failNo(`${name} ${kind ? 'is not a regular file' : 'is missing'}.`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function blobsOf(folder: string): Promise<KnownBlob[]> {
  const names = await readdir(folder).catch((cause) => failNo(`${blobsFolder} cannot be read.`, { cause }));
  const cids = names.flatMap((name) => cidIn(name) ?? []);
  const blobAt = async (cid: Cid) => {
    const path = join(folder, cid.text);
    await assertFile(folder, cid.text);
    return { cid, size: (await stat(path)).size, bytes: () => createReadStream(path) };
  };
  return await pMap(cids, blobAt, { concurrency: filesAtOnce });
}
