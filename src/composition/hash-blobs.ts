import { HashPool } from '../../workers/hash-pool.ts';
import { givesWay, hashDue, noteOlderBlobs } from '../domain/integrity/blobs/hash-unhashed.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../storage/open.ts';
import { repeatedly } from './repeatedly.ts';

const lookEveryMs = 1_000;
/** How often long work says how far it is. */
const reportEveryMs = 10_000;

/** Hashes the blobs that wait for it, until disposed of: large ones soon after they were stored, and those of older stores. */
export function hashBlobs(hashing: Store['blobHashing'], log: Log): AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const pool = opened.use(
    new HashPool((err) => log.error({ err }, 'The thread that hashes blobs has failed or cannot start.')),
  );
  const ports = { ...hashing, hash: pool.hash.bind(pool) };
  const end = new AbortController();
  let hasNoted = false;
  const hashAllDue = async () => {
    if (!hasNoted) await noteOlderBlobs(ports);
    hasNoted = true;
    let reportedAt = performance.now();
    for (let [hashed, last] = [0, -1]; last !== 0 && !end.signal.aborted; hashed += last) {
      if (await givesWay(ports)) return;
      last = await hashDue(ports);
      if (performance.now() - reportedAt < reportEveryMs) continue;
      reportedAt = performance.now();
      log.info({ hashed }, 'Hashing stored blobs.');
    }
  };
  const onError = (err: unknown) => {
    if (!end.signal.aborted) log.warn({ err }, 'Hashing stored blobs has failed. It goes on later.');
  };
  opened.use(repeatedly(lookEveryMs, () => hashAllDue().catch(onError)));
  opened.defer(() => end.abort());
  return opened;
}
