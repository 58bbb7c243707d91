import { setTimeout as delay } from 'node:timers/promises';
import { cidIn } from '../src/domain/integrity/identifiers/cid.ts';
import { leafHash } from '../src/domain/log/merkle/hashing.ts';
import { MerkleRange } from '../src/domain/log/merkle/range.ts';
import type { Checkpoint } from '../src/domain/log/notes/checkpoint.ts';
import { type Fetching, readCheckpoint, readLog } from './log-client.ts';

const everyMs = 50;
/** Where the digest of `rdfc_cid` stands in the entry of a verified statement. */
const [digestFrom, digestUntil] = [3, 35];

/** Notes every checkpoint that a service publishes, and proves at the end that they are of one history. */
export class LogChecker {
  readonly #urlOf: () => string | undefined;
  readonly #checkpoints = new Map<string, Checkpoint>();
  readonly #end = new AbortController();

  /** @param urlOf the address for the next request; undefined if there is none now. */
  constructor(urlOf: () => string | undefined) {
    this.#urlOf = urlOf;
  }

  /** Runs until `stop` is called. Processes that are killed meanwhile do not answer. */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const checkpoint = await readCheckpoint(this.#fetching('')).catch(() => undefined);
      if (checkpoint)
        this.#checkpoints.set(
          `${checkpoint.size} ${Buffer.from(checkpoint.root).toString('hex')}`,
          checkpoint,
        );
      await delay(everyMs);
    }
  }

  stop(): void {
    this.#end.abort();
  }

  get count(): number {
    return this.#checkpoints.size;
  }

  /**
   * Compares all checkpoints with the entries of the newest one. Each is a head of that tree, so any two are consistent.
   * @param others that were signed, and perhaps not published.
   */
  async problems(others: readonly Checkpoint[] = []): Promise<string[]> {
    const { entries } = await readLog(this.#fetching(''));
    const problems: string[] = [];
    const bySize = Map.groupBy([...this.#checkpoints.values(), ...others], ({ size }) => size);
    const range = new MerkleRange();
    for (const entry of entries) {
      range.append(leafHash(entry));
      const root = Buffer.from(range.root());
      for (const checkpoint of bySize.get(range.size) ?? [])
        if (!root.equals(checkpoint.root))
          problems.push(`The checkpoint of size ${range.size} is of another history.`);
    }
    for (const size of bySize.keys())
      if (size > entries.length)
        problems.push(
          `A checkpoint of size ${size} was published, and the log has ${entries.length} entries.`,
        );
    return problems;
  }

  /** Whether the log of a graph has each of these once. It waits until they are there. @param paths of statements. */
  async missing(graphId: string, paths: Iterable<string>): Promise<string[]> {
    const wanted = new Set([...paths].map(digestOf));
    const until = performance.now() + 60_000;
    for (;;) {
      const log = await readLog(this.#fetching(`/graphs/${graphId}`)).catch(() => undefined);
      const found = (log?.entries ?? []).map((entry) => hex(entry.subarray(digestFrom, digestUntil)));
      const times = Map.groupBy(found, (digest) => digest);
      const twice = [...times]
        .filter(([, entries]) => entries.length > 1)
        .map(([digest]) => `${digest} is there twice.`);
      const missing = [...wanted]
        .filter((digest) => !times.has(digest))
        .map((digest) => `${digest} is in no entry.`);
      if (twice.length > 0 || missing.length === 0 || performance.now() > until)
        return [...twice, ...missing];
      await delay(everyMs);
    }
  }

  #fetching(log: string): Fetching {
    return async (path) => {
      const url = this.#urlOf();
      if (url === undefined) return undefined;
      const answer = await fetch(`${url}/log/v1${log}/${path}`, { signal: AbortSignal.timeout(10_000) });
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined;
    };
  }
}

function digestOf(path: string): string {
  return hex(cidIn(path.slice(path.lastIndexOf('/') + 1))?.digest ?? new Uint8Array());
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
