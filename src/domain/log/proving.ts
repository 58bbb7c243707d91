import { entryOfRow } from './appending/additions.ts';
import { formatHeadProof, type PublishedHead } from './head-proof.ts';
import { inclusionProof, type TileReader } from './merkle/proofs.ts';
import { tileWidth } from './merkle/tiles.ts';
import { logNames } from './names.ts';
import type { TlogProof } from './notes/tlog-proof.ts';
import type { LoggedRow } from './ports.ts';
import type { LogReading } from './reading.ts';
import { formatReceipt } from './receipt.ts';
import type { PublishedCheckpoint } from './records.ts';

interface KnownHead {
  readonly size: number;
  readonly nonce: Uint8Array;
  readonly serviceProof: Omit<TlogProof, 'extra'>;
  readonly tiles: TileReader;
}

/** Makes proofs from one published checkpoint. What several of them need is read once. */
export class Prover {
  readonly #reading: LogReading;
  readonly #checkpoint: PublishedCheckpoint;
  readonly #service: TileReader;
  readonly #heads = new Map<string, Promise<KnownHead | undefined>>();

  private constructor(reading: LogReading, checkpoint: PublishedCheckpoint) {
    this.#reading = reading;
    this.#checkpoint = checkpoint;
    this.#service = readOnce(reading.tiles(logNames.service));
  }

  /** Undefined if nothing is published yet. */
  static async open(reading: LogReading): Promise<Prover | undefined> {
    const checkpoint = await reading.published();
    return checkpoint && new Prover(reading, checkpoint);
  }

  /** Receipts of statements in a log; undefined for those whose entry is not published yet. */
  async receipts(log: string, rows: readonly LoggedRow[]): Promise<(string | undefined)[]> {
    const head = await this.#head(log);
    if (!head) return rows.map(() => undefined);
    const { size, nonce, serviceProof, tiles } = head;
    const indexes = await this.#reading.indexesOf(log, rows);
    return await Promise.all(
      rows.map(async (row, at) => {
        const index = indexes[at];
        if (index === undefined || index >= size) return undefined;
        const path = await inclusionProof(tiles, index, size);
        return formatReceipt({ name: log, nonce, size, index, entry: entryOfRow(row), path }, serviceProof);
      }),
    );
  }

  async hasPublished(log: string, row: LoggedRow): Promise<boolean> {
    const head = await this.#head(log);
    const index = head && (await this.#reading.indexOf(log, row));
    return head !== undefined && index !== undefined && index < head.size;
  }

  /** Undefined if nothing of the log is published yet. */
  async head(log: string): Promise<PublishedHead | undefined> {
    const head = await this.#head(log);
    if (!head) return undefined;
    const { size, nonce, serviceProof } = head;
    return {
      log,
      size,
      proof: formatHeadProof({ log, nonce, size, proof: serviceProof }),
      tiles: this.#reading.tiles(log),
      entry: async (index) => {
        const at = index % tileWidth;
        const tile = { index: Math.floor(index / tileWidth), width: at + 1 };
        return (await this.#reading.entries(log, tile))[at] ?? new Uint8Array();
      },
    };
  }

  #head(log: string): Promise<KnownHead | undefined> {
    return this.#heads.getOrInsertComputed(log, () => this.#readHead(log));
  }

  async #readHead(log: string): Promise<KnownHead | undefined> {
    const { size: serviceSize, note } = this.#checkpoint;
    const head = await this.#reading.headAt(log, serviceSize);
    const nonce = head && (await this.#reading.nonceOf(log));
    if (!head || !nonce) return undefined;
    const { serviceIndex: index } = head;
    const path = await inclusionProof(this.#service, index, serviceSize);
    const serviceProof = { index, path, checkpoint: note };
    return { size: head.size, nonce, serviceProof, tiles: readOnce(this.#reading.tiles(log)) };
  }
}

/** Keeps what was read, and reads tiles together that are asked for in the same moment. */
function readOnce(reader: TileReader): TileReader {
  const known = new Map<string, Promise<Uint8Array>>();
  return {
    async tiles(coordinates) {
      const keys = coordinates.map(({ level, index, width }) => `${level}/${index}/${width}`);
      const wanted = coordinates.filter((_, at) => !known.has(keys[at] ?? ''));
      const read = wanted.length > 0 ? reader.tiles(wanted) : Promise.resolve([]);
      for (const [at, { level, index, width }] of wanted.entries())
        known.set(
          `${level}/${index}/${width}`,
          read.then((tiles) => tiles[at] ?? new Uint8Array()),
        );
      return await Promise.all(keys.map((key) => known.get(key) ?? new Uint8Array()));
    },
  };
}
