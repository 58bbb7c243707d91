import { type StatementDigests, serviceEntry, statementEntry } from '../../src/domain/log/entries.ts';
import { leafHash, sha256 } from '../../src/domain/log/merkle/hashing.ts';
import { inclusionProof, type TileReader } from '../../src/domain/log/merkle/proofs.ts';
import { growTiles, rootOfEdge, type Tile, tilePath } from '../../src/domain/log/merkle/tiles.ts';
import { blindedName } from '../../src/domain/log/names.ts';
import { formatCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import type { NoteSigner } from '../../src/domain/log/notes/signing.ts';
import { formatReceipt } from '../../src/domain/log/receipt.ts';
import { signedBy } from './log-keys.ts';

/** A log in memory, which answers only what a tree of its size has. */
export class MemoryLog implements TileReader {
  readonly tilesByKey = new Map<string, Tile>();
  readonly entries: Uint8Array[] = [];
  edge: readonly Tile[] = [];
  size = 0;

  get root(): Uint8Array {
    return rootOfEdge(this.size, this.edge);
  }

  append(entries: readonly Uint8Array[]): this {
    this.entries.push(...entries);
    return this.grow(entries.map(leafHash));
  }

  /** Without the entries. */
  grow(leafHashes: readonly Uint8Array[]): this {
    const { size, tiles, edge } = growTiles(this.size, this.edge, leafHashes);
    for (const tile of tiles) this.tilesByKey.set(`${tile.level}/${tile.index}`, tile);
    [this.size, this.edge] = [size, edge];
    return this;
  }

  async tiles(coordinates: Parameters<TileReader['tiles']>[0]): Promise<Uint8Array[]> {
    return coordinates.map((each) => {
      const hashes = this.tilesByKey.get(`${each.level}/${each.index}`)?.hashes ?? new Uint8Array();
      if (each.width < 1 || hashes.length < each.width * 32)
        throw new Error(`There is no tile ${tilePath(each)}.`);
      return hashes.subarray(0, each.width * 32);
    });
  }
}

export const digestsOf = (number: number): StatementDigests => ({
  rdfcDigest: sha256(`rdfc ${number}`),
  jcsDigest: sha256(`jcs ${number}`),
});

const nonce = sha256('nonce');

/** Receipts of some statements of one graph, whose head is entry `others` of a service log. */
export async function receiptsOf(
  origin: string,
  statements: readonly StatementDigests[],
  signers: readonly NoteSigner[],
  { others = 5, at = 1_700_000_000 } = {},
): Promise<string[]> {
  const name = 'graphs/5bf0a3a6-4a0c-4f5e-9c2e-1f6f1b3f0a11';
  const graph = new MemoryLog().append(statements.map(statementEntry));
  const head = serviceEntry({ blindedName: blindedName(name, nonce), size: graph.size, root: graph.root });
  const entries = Array.from({ length: others }, (_, each) => Buffer.of(1, each));
  const service = new MemoryLog().append([...entries, head, ...entries]);
  const { size, root } = service;
  const checkpoint = await signedBy(formatCheckpoint({ origin, size, root, extensions: [] }), signers, at);
  const path = await inclusionProof(service, others, size);
  return await Promise.all(
    statements.map(async (digests, index) => {
      const own = { name, nonce, size: graph.size, index, entry: statementEntry(digests) };
      const ownPath = await inclusionProof(graph, index, graph.size);
      return formatReceipt({ ...own, path: ownPath }, { index: others, path, checkpoint });
    }),
  );
}
