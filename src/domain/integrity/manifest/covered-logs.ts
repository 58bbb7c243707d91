import { ServiceError } from '../../errors.ts';
import { parseStatementEntry, statementEntry } from '../../log/entries.ts';
import type { PublishedHead } from '../../log/head-proof.ts';
import { hashSize, leafHash } from '../../log/merkle/hashing.ts';
import { tileWidth } from '../../log/merkle/tiles.ts';
import { digestKey } from '../identifiers/digest-set.ts';
import type { StatementRow } from '../ports.ts';
import { entriesOfAnchor, logAnchor } from './log-anchors.ts';

export interface LogsForExport {
  /**
   * The newest published heads of logs, of which all have everything that was acknowledged before, or that have been waited for
   * long enough. Logs without a published head are left out.
   */
  heads(names: readonly string[]): AsyncIterable<PublishedHead>;
}

/** Where a manifest has a form: under its id, as a block beside, or not at all. */
export type CarriedAs = 'under_id' | 'beside' | 'not';

type LoggedRow = Pick<StatementRow, 'rdfcCid' | 'jcsCid'>;

interface CoveredLog extends PublishedHead {
  /** Digests of the ids of statements that the manifest has under their id, by index. */
  readonly ids: Uint8Array;
  readonly isFound: Uint8Array;
  /** The other entries. */
  readonly entries: Map<number, Uint8Array>;
}

/** Tells the logs of one index apart. */
const logFactor = 2 ** 32;
const tilesAtOnce = 64;

/** The heads of logs that a manifest covers, and which statement each of their entries is. */
export class CoveredLogs {
  readonly #logs: readonly CoveredLog[];
  /** Leaf hash to log and index. A statement may be in several graphs. */
  readonly #places: ReadonlyMap<string, readonly number[]>;

  private constructor(logs: readonly CoveredLog[], places: ReadonlyMap<string, readonly number[]>) {
    this.#logs = logs;
    this.#places = places;
  }

  static async open(published: LogsForExport, names: readonly string[]): Promise<CoveredLogs> {
    const logs: CoveredLog[] = [];
    const places = new Map<string, number[]>();
    for await (const head of published.heads(names)) {
      const { size } = head;
      let index = logs.length * logFactor;
      for await (const leaf of leavesOf(head)) {
        places.getOrInsertComputed(digestKey(leaf), () => []).push(index);
        index += 1;
      }
      const ids = new Uint8Array(size * hashSize);
      logs.push({ ...head, ids, isFound: new Uint8Array(size), entries: new Map() });
    }
    return new CoveredLogs(logs, places);
  }

  get isEmpty(): boolean {
    return this.#logs.length === 0;
  }

  has(row: LoggedRow): boolean {
    return this.#placesOf(row).length > 0;
  }

  /** Must be called for each row of the manifest. @throws ServiceError `conflict` if the manifest would lack the row. */
  note(row: LoggedRow, carried: CarriedAs): void {
    for (const { place, entry, isVerified } of this.#placesOf(row)) {
      const index = place % logFactor;
      const log = this.#logs[Math.floor(place / logFactor)];
      if (!log) continue;
      log.isFound[index] = 1;
      if (carried === 'not' && !isVerified) throwManyForms();
      if (carried === 'under_id' && isVerified) log.ids.set(row.rdfcCid.digest, index * hashSize);
      else log.entries.set(index, entry);
    }
  }

  /** Looks up the entries that are no statements. @throws ServiceError `damaged` if the store lacks a statement. */
  async complete(): Promise<void> {
    for (const log of this.#logs)
      for (let index = log.isFound.indexOf(0); index !== -1; index = log.isFound.indexOf(0, index + 1)) {
        const entry = await log.entry(index);
        if (!('note' in parseStatementEntry(entry))) throwLacking(log, index);
        log.entries.set(index, entry);
      }
  }

  /** The anchors that prove all this. */
  *anchors(): Generator<string> {
    for (const log of this.#logs)
      for (let first = 0; first < log.size; first += entriesOfAnchor)
        yield anchorOf(log, first, Math.min(log.size, first + entriesOfAnchor));
  }

  #placesOf({ rdfcCid, jcsCid }: LoggedRow) {
    const jcsDigest = jcsCid.digest;
    return [rdfcCid.digest, null].flatMap((rdfcDigest) => {
      const entry = statementEntry({ rdfcDigest, jcsDigest });
      const places = this.#places.get(digestKey(leafHash(entry))) ?? [];
      return places.map((place) => ({ place, entry, isVerified: rdfcDigest !== null }));
    });
  }
}

function anchorOf({ ids, entries, proof }: CoveredLog, first: number, end: number): string {
  const listed: Uint8Array[] = [];
  const others: Record<string, string> = {};
  for (let index = first; index < end; index += 1) {
    const entry = entries.get(index);
    if (entry) others[index] = Buffer.from(entry).toString('base64');
    else listed.push(ids.subarray(index * hashSize, (index + 1) * hashSize));
  }
  return logAnchor({ ids: listed, first, entries: others, proof });
}

/** The leaf hashes of a log, in their order. */
async function* leavesOf({ tiles, size }: PublishedHead): AsyncGenerator<Uint8Array> {
  const count = Math.ceil(size / tileWidth);
  for (let first = 0; first < count; first += tilesAtOnce) {
    const coordinates = Array.from({ length: Math.min(tilesAtOnce, count - first) }, (_, at) => {
      const index = first + at;
      return { level: 0, index, width: Math.min(tileWidth, size - index * tileWidth) };
    });
    for (const hashes of await tiles.tiles(coordinates))
      for (let at = 0; at < hashes.length; at += hashSize) yield hashes.subarray(at, at + hashSize);
  }
}

function throwLacking({ log }: CoveredLog, index: number): never {
  const message = `The store lacks the statement that is entry ${index} of the log ${log}. Run cairn fsck.`;
  throw new ServiceError('damaged', message);
}

function throwManyForms(): never {
  const message =
    'The graph has an unverified statement in several forms, and a JSON manifest has one form of each. Export a CAR.';
  throw new ServiceError('conflict', message);
}
