import { basename, relative } from 'node:path';
import { type Cid, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { hashFolder } from '../client/hash-folder.ts';
import { fileBlob } from '../client/local-files.ts';
import type { KnownBlob } from '../client/upload-blob.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';
import { type RecordedPath, type Survey, survey } from './places.ts';

/** A place with the hash of its content. */
export interface Artifact extends RecordedPath {
  readonly name: string;
  readonly cid: Cid;
  readonly survey: Survey;
  /** What has to be stored. */
  readonly blobs: readonly KnownBlob[];
}

/** A change of an input between two looks at it. */
export interface Change {
  readonly path: string;
  readonly before: Cid;
  /** Null if it is gone. */
  readonly after: Cid | null;
  /** What differs in a folder. */
  readonly files: readonly ChangedFile[];
}

interface ChangedFile {
  readonly path: string;
  readonly is: 'changed' | 'added' | 'gone';
}

const naming = { codec: codecs.raw, multihash: 'blake3' } as const;

/**
 * Hashes places, with progress for all of them together. Folders become iroh collections.
 * @param onUnreadable called with each place that cannot be read. By default the error is thrown.
 */
export async function hashPlaces(
  io: Pick<Io, 'stderr'>,
  places: readonly RecordedPath[],
  onUnreadable: (place: RecordedPath, error: unknown) => void = throwUnreadable,
) {
  const readable = async <Result>(place: RecordedPath, read: () => Promise<Result>): Promise<Result[]> => {
    try {
      return [await read()];
    } catch (error) {
      onUnreadable(place, error);
      return [];
    }
  };
  const surveyed: { place: RecordedPath; seen: Survey }[] = [];
  for (const place of places)
    surveyed.push(...(await readable(place, async () => ({ place, seen: await survey(place) }))));
  const total = surveyed.reduce((sum, { seen }) => sum + seen.bytes, 0);
  const files = surveyed.reduce((sum, { seen }) => sum + seen.files, 0);
  using progress = openProgress(io, { total });
  let done = 0;
  const onBytes = (count: number) => {
    done += count;
    progress.update(done, `hashing ${files.toLocaleString('en')} files, ${(done / 2 ** 20).toFixed(1)} MiB`);
  };
  const artifacts: Artifact[] = [];
  for (const { place, seen } of surveyed) {
    const onSkipped = (name: string, why: string) => progress.log(`Skipped ${place.path}${name}: ${why}.`);
    artifacts.push(
      ...(await readable(place, async () => await hashPlace(place, seen, { onBytes, onSkipped }))),
    );
  }
  return artifacts;
}

function throwUnreadable(_: RecordedPath, error: unknown): never {
  throw error;
}

async function hashPlace(place: RecordedPath, seen: Survey, progress: Parameters<typeof hashFolder>[1]) {
  const name = basename(place.absolute);
  if (place.kind === 'file') {
    const blob = await fileBlob(place.absolute, naming, progress.onBytes);
    return { ...place, name, cid: blob.cid, survey: seen, blobs: [blob] };
  }
  const { collection, blobs } = await hashFolder(place.absolute, progress);
  return { ...place, name: `${name}/`, cid: collection, survey: seen, blobs };
}

/** The changes since the artifacts were hashed. Only artifacts that look changed are read again. */
export async function changesOf(io: Pick<Io, 'stderr'>, artifacts: readonly Artifact[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const artifact of artifacts) {
    const now = await survey(artifact).catch(() => undefined);
    if (now?.fingerprint === artifact.survey.fingerprint) continue;
    const [again] = now ? await hashPlaces(io, [artifact]) : [];
    if (again?.cid.text === artifact.cid.text) continue;
    const files = again ? changedFiles(artifact, again) : [];
    changes.push({ path: artifact.path, before: artifact.cid, after: again?.cid ?? null, files });
  }
  return changes;
}

function changedFiles(before: Artifact, after: Artifact): ChangedFile[] {
  if (before.kind === 'file') return [];
  const [old, now] = [filesOf(before), filesOf(after)];
  const differ = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => old.get(path) !== now.get(path),
  );
  return differ.sort().map((path) => ({
    path: relative(before.absolute, path),
    is: !now.has(path) ? 'gone' : old.has(path) ? 'changed' : 'added',
  }));
}

/** The CIDs of the files, by their absolute paths. */
function filesOf({ blobs }: Artifact): Map<string, string> {
  return new Map(blobs.flatMap(({ path, cid }) => (path === undefined ? [] : [[path, cid.text]])));
}
