import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { z } from 'zod';
import { parseCid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher } from '../../domain/integrity/identifiers/hashing.ts';
import type { KnownBlob } from '../client/upload-blob.ts';
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
});

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
  await mkdir(join(staged, blobsFolder), { recursive: true });
  await copyBlobs(io, parcel.blobs, join(staged, blobsFolder));
  const lines = parcel.statements.map((bytes) => `${Buffer.from(bytes).toString()}\n`).join('');
  await writeFile(join(staged, statementsFile), lines, { flush: true });
  const content: z.input<typeof record> = { version: 1, name, graph_id: parcel.graphId };
  await writeFile(join(staged, recordFile), `${JSON.stringify(content, null, 2)}\n`, { flush: true });
  await rename(staged, join(spool, id));
  return join(spool, id);
}

async function copyBlobs(io: Pick<Io, 'stderr'>, blobs: readonly KnownBlob[], folder: string): Promise<void> {
  const distinct = [...new Map(blobs.map((blob) => [blob.cid.text, blob])).values()];
  using progress = openProgress(io, { total: distinct.length });
  let done = 0;
  await pMap(
    distinct,
    async ({ cid, bytes }) => {
      const hash = hasher(cid.multihash);
      await using file = await open(join(folder, cid.text), 'w');
      for await (const chunk of bytes()) {
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (Buffer.compare(hash.digest(), cid.digest) !== 0)
        failNo(`A file with the CID ${cid.text} changed while it was copied. Nothing was recorded.`);
      done += 1;
      progress.update(
        done,
        `copying ${done.toLocaleString('en')} of ${distinct.length.toLocaleString('en')} files`,
      );
    },
    { concurrency: filesAtOnce },
  );
}

/** The spooled recordings of a folder, oldest first. @throws Failure (usage) if it is not a spool. */
export async function spooledFolders(spool: string): Promise<string[]> {
  const entries = await readdir(spool, { withFileTypes: true });
  const found: string[] = [];
  for (const { name } of entries.filter((one) => one.isDirectory() && !one.name.startsWith('.'))) {
    const folder = join(spool, name);
    if (
      await access(join(folder, recordFile)).then(
        () => true,
        () => false,
      )
    )
      found.push(folder);
  }
  const isUsed =
    entries.length === 0 || found.length > 0 || entries.every(({ name }) => name.startsWith('.'));
  if (isUsed) return found.toSorted();
  return failUsage(
    `${spool} is a folder. Name a file with one statement per line, or a folder that "cairn record --spool" has filled.`,
  );
}

/** @throws Failure (usage) if the folder was changed by somebody. */
export async function readSpooled(folder: string): Promise<{ name: string; parcel: Parcel }> {
  const content = record.safeParse(JSON.parse(await readFile(join(folder, recordFile), 'utf8')));
  if (!content.success) failUsage(`${join(folder, recordFile)} was not written by this version of cairn.`);
  const { name, graph_id: graphId } = content.data;
  const statements = (await readFile(join(folder, statementsFile), 'utf8')).split('\n').filter(Boolean);
  const names = await readdir(join(folder, blobsFolder));
  const blobs = await pMap(names, (blob) => blobAt(join(folder, blobsFolder, blob), blob), {
    concurrency: filesAtOnce,
  });
  return { name, parcel: { graphId, blobs, statements: statements.map((line) => Buffer.from(line)) } };
}

async function blobAt(path: string, name: string): Promise<KnownBlob> {
  const { size } = await stat(path);
  return { cid: parseCid(name), size, bytes: () => createReadStream(path) };
}
