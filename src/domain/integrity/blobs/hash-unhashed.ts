import { z } from 'zod';
import type { Bucket } from '../../bucket.ts';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { Digests, FurtherHash } from '../identifiers/hashing.ts';
import {
  type BlobHashRecord,
  type BlobHashRecords,
  cidsOfHashes,
  hashRecord,
  keepHashes,
  recordsOfCids,
} from './blob-hashes.ts';
import { blobName, cidOfBlobName } from './blob-names.ts';

/** Blobs that wait for being hashed. Each process takes some for a while, so a blob of one that was killed is taken again. */
export const unhashedBlobs = collection('unhashed_blobs', {
  shape: z.object({
    /** In its bucket, or that of a list of all blobs. */
    name: z.string().min(1),
    /** Null for a list that was made. */
    dueAt: z.int().nullable(),
    notedAt: z.int(),
  }),
  key: 'name',
  indexes: { byDue: ['dueAt'] },
  isTransient: true,
});

export type UnhashedBlobs = RecordsOf<typeof unhashedBlobs>;
type Unhashed = Readonly<z.output<typeof unhashedBlobs.shape>>;

export interface HashingPorts {
  readonly unhashed: Pick<UnhashedBlobs, 'insert' | 'update' | 'remove' | 'page'>;
  readonly hashes: Pick<BlobHashRecords, 'insert' | 'get' | 'update' | 'among'>;
  /** Its bytes need not be verified, because the digests say whether they are right. */
  readonly bucket: Pick<Bucket, 'read' | 'names'>;
  readonly further: readonly FurtherHash[];
  /** Hashes bytes elsewhere, so that this thread goes on. */
  readonly hash: (
    bytes: AsyncIterable<Uint8Array>,
    size: number,
    further: readonly FurtherHash[],
  ) => Promise<Digests>;
  readonly now: () => Date;
}

const leaseMs = 600_000;
/** A blob is noted before it is stored, and may never be. */
export const absentMs = 60_000;
const absentAfterMs = 24 * 3_600_000;
const blobsAtOnce = 100;
const readAtOnce = 4;

const quietMs = 1_000;
export const longestWaitMs = 30_000;

/**
 * Whether hashing waits, because blobs are being stored. Beside uploads it would take a third of their rate on a small machine. Once
 * a blob has waited for half a minute, hashing goes on all the same.
 */
export async function givesWay({ unhashed, now }: Pick<HashingPorts, 'unhashed' | 'now'>): Promise<boolean> {
  const at = now().getTime();
  const ageOf = async (order: 'ascending' | 'descending') => {
    const asked = { after: null, limit: 1, order, range: { until: at + 1 } };
    const { records } = await unhashed.page('byDue', [], asked);
    return at - (records[0]?.notedAt ?? at);
  };
  return (await ageOf('descending')) < quietMs && (await ageOf('ascending')) < longestWaitMs;
}

/** Hashes some of the blobs that are due. @returns how many. 0 means that none is left. */
export async function hashDue(ports: HashingPorts): Promise<number> {
  const range = { until: ports.now().getTime() + 1 };
  const due = await ports.unhashed.page('byDue', [], { after: null, limit: blobsAtOnce, range });
  const taken = await Promise.all(due.records.map((record) => take(ports, record)));
  const mine = taken.filter((record) => record !== undefined);
  for (const list of mine.filter(isList)) await noteAll(ports, list);
  await hashAll(
    ports,
    mine.filter((record) => !isList(record)),
  );
  return mine.length;
}

/** @returns undefined if another process has it. */
async function take({ unhashed, now }: HashingPorts, { name, dueAt }: Unhashed) {
  return await unhashed.update(name, { dueAt }, { dueAt: now().getTime() + leaseMs });
}

async function hashAll(ports: HashingPorts, blobs: readonly Unhashed[]): Promise<void> {
  const found: BlobHashRecord[] = [];
  const done: string[] = [];
  const hashed = async (blob: Unhashed) => ({ blob, outcome: await hashOne(ports, blob) });
  for await (const { blob, outcome } of mapConcurrent(blobs, readAtOnce, hashed)) {
    if (outcome === 'absent') continue;
    if (outcome !== 'damaged') found.push(outcome);
    done.push(blob.name);
  }
  await keepHashes(ports.hashes, found);
  await Promise.all(done.map((name) => ports.unhashed.remove(name)));
}

async function hashOne(
  ports: HashingPorts,
  { name, notedAt }: Unhashed,
): Promise<BlobHashRecord | 'absent' | 'damaged'> {
  const { bucket, unhashed, further, hash, now } = ports;
  try {
    await using content = await bucket.read(name);
    if (!content) {
      const time = now().getTime();
      if (time - notedAt > absentAfterMs) return 'damaged';
      await unhashed.update(name, {}, { dueAt: time + absentMs });
      return 'absent';
    }
    const { size, bytes } = content;
    const record = hashRecord(await hash(bytes, size, further), size);
    return blobNamesOf(record).includes(name) ? record : 'damaged';
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'damaged') return 'damaged';
    throw error;
  }
}

/** The names under which its bytes may be stored. */
function blobNamesOf(record: BlobHashRecord): string[] {
  return cidsOfHashes(record).map((text) => blobName(parseCid(text)));
}

const listName = (further: readonly FurtherHash[]) => `all ${further.toSorted().join(' ')}`.trim();
const isList = ({ name }: Unhashed) => name.startsWith('all');

/** Notes once for these hashes that all blobs are looked through, because older versions and other settings have hashed less. */
export async function noteOlderBlobs({
  unhashed,
  further,
  now,
}: Pick<HashingPorts, 'unhashed' | 'further' | 'now'>) {
  const at = now().getTime();
  await unhashed.insert([{ name: listName(further), dueAt: at, notedAt: at }]);
}

/** Whether all blobs of a store were looked through, so that each one has its digests or waits for them. */
export async function hasLooked(unhashed: Pick<UnhashedBlobs, 'page'>): Promise<boolean> {
  const range = { from: 'all', until: 'alm' };
  const { records } = await unhashed.page('key', [], { after: null, limit: 10, range });
  return records.some((record) => isList(record) && record.dueAt === null);
}

const namesAtOnce = 500;

/** Notes the blobs whose digests are not all known. */
async function noteAll(ports: HashingPorts, list: Unhashed): Promise<void> {
  const { unhashed, now } = ports;
  let names: string[] = [];
  for await (const name of ports.bucket.names()) {
    names.push(name);
    if (names.length < namesAtOnce) continue;
    await noteUnknown(ports, names);
    names = [];
    await unhashed.update(list.name, {}, { dueAt: now().getTime() + leaseMs });
  }
  await noteUnknown(ports, names);
  await unhashed.update(list.name, {}, { dueAt: null });
}

async function noteUnknown({ hashes, unhashed, further, now }: HashingPorts, names: readonly string[]) {
  const cids = names.flatMap((name) => cidOfBlobName(name) ?? []);
  const known = new Set<string>();
  const isWhole = (record: BlobHashRecord) => further.every((name) => record[name] !== null);
  for (const record of (await recordsOfCids(hashes, cids)).filter(isWhole))
    for (const name of blobNamesOf(record)) known.add(name);
  const missing = cids.map(blobName).filter((name) => !known.has(name));
  const at = now().getTime();
  await unhashed.insert(missing.map((name) => ({ name, dueAt: at, notedAt: at })));
}
