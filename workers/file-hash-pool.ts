import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import hashHere, { type FileHashTask } from './file-hash-thread.ts';

/** Starting threads takes longer than hashing this much. */
const hashedHere = 32 << 20;
const progressMs = 200;

/**
 * Hashes parts of files on all processors. @param onBytes called now and then with how many bytes are hashed.
 * @returns the digests in hex, in the order of the parts; undefined for those that a file does not have.
 */
export async function hashFiles(
  parts: readonly Omit<FileHashTask, 'done'>[],
  onBytes: (count: number) => void,
): Promise<(string | undefined)[]> {
  const done = new BigInt64Array(new SharedArrayBuffer(8));
  const report = () => onBytes(Number(Atomics.load(done, 0)));
  const tasks = parts.map((part) => ({ ...part, done }));
  const total = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  if (total <= hashedHere) return tasks.map(hashHere);
  await using pool = new Piscina<FileHashTask, string | undefined>({
    filename: new URL('./file-hash-thread.ts', import.meta.url).href,
    maxThreads: availableParallelism(),
    maxQueue: Number.POSITIVE_INFINITY,
    // As in threads.ts.
    execArgv: ['--no-experimental-require-module'],
    atomics: 'disabled',
  });
  const reporting = setInterval(report, progressMs);
  try {
    return await Promise.all(tasks.map((task) => pool.run(task)));
  } finally {
    clearInterval(reporting);
    report();
  }
}
