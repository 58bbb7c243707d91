import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { leafHash } from '../../src/domain/log/merkle/hashing.ts';
import { consistencyProof, rootAt, type TileReader } from '../../src/domain/log/merkle/proofs.ts';
import { growTiles, parseTilePath, type Tile, widthIn } from '../../src/domain/log/merkle/tiles.ts';
import { formatCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { formatNote } from '../../src/domain/log/notes/signed-note.ts';
import { type NoteSigner, noteSigner } from '../../src/domain/log/notes/signing.ts';
import { formatVkey, type KeyType, keyTypes, vkeyOf } from '../../src/domain/log/notes/vkey.ts';
import { formatAddCheckpoint } from '../../src/domain/log/witnessing/add-checkpoint.ts';

export function newSigner(name: string, type: KeyType = keyTypes.ed25519): NoteSigner {
  const { privateKey } =
    type === keyTypes.mlDsa44Cosigner ? generateKeyPairSync('ml-dsa-44') : generateKeyPairSync('ed25519');
  return noteSigner(vkeyOf(name, type, createPublicKey(privateKey)), privateKey);
}

/** A log in memory. Logs with another `seed` have other entries. */
export class TestLog implements TileReader {
  readonly origin: string;
  readonly signer: NoteSigner;
  readonly seed: string;
  readonly #tiles = new Map<string, Tile>();
  #edge: readonly Tile[] = [];
  size = 0;

  constructor(size: number, { origin = 'log.example/log/v1', seed = '', signer = newSigner(origin) } = {}) {
    [this.origin, this.signer, this.seed] = [origin, signer, seed];
    this.grow(size);
  }

  grow(count: number): this {
    const hashes = Array.from({ length: count }, (_, at) => leafHash(this.entry(this.size + at)));
    const { size, tiles, edge } = growTiles(this.size, this.#edge, hashes);
    for (const tile of tiles) this.#tiles.set(`${tile.level}/${tile.index}`, tile);
    [this.size, this.#edge] = [size, edge];
    return this;
  }

  entry(index: number): Uint8Array {
    return Buffer.from(`${this.seed}${index}`);
  }

  /** Answers what a log answers (tlog-tiles). */
  async answer(path: string): Promise<string | Uint8Array | undefined> {
    if (path === '/checkpoint') return await this.checkpoint();
    if (path === '/key') return `${formatVkey(this.signer.vkey)}\n`;
    const tile = parseTilePath(path.replace('/tile/', ''));
    if (widthIn(this.size, tile.level === 'entries' ? 0 : tile.level, tile.index) < tile.width)
      return undefined;
    if (tile.level !== 'entries') return (await this.tiles([{ ...tile, level: tile.level }]))[0];
    const entries = Array.from({ length: tile.width }, (_, at) => this.entry(tile.index * 256 + at));
    return Buffer.concat(entries.flatMap((entry) => [Uint8Array.of(0, entry.length), entry]));
  }

  async tiles(coordinates: Parameters<TileReader['tiles']>[0]): Promise<Uint8Array[]> {
    return coordinates.map(({ level, index, width }) => {
      const { hashes = new Uint8Array() } = this.#tiles.get(`${level}/${index}`) ?? {};
      return hashes.subarray(0, width * 32);
    });
  }

  async root(size = this.size): Promise<Uint8Array> {
    return await rootAt(this, size);
  }

  async checkpoint(size = this.size): Promise<string> {
    const text = formatCheckpoint({ origin: this.origin, size, root: await this.root(size), extensions: [] });
    return formatNote(text, [await this.signer.sign(text, 0)]);
  }

  async addCheckpoint(oldSize: number, size = this.size): Promise<string> {
    const proof = oldSize > size ? [] : await consistencyProof(this, oldSize, size);
    return formatAddCheckpoint({ oldSize, proof, note: await this.checkpoint(size) });
  }
}
