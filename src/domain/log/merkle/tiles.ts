import { quoted, refuse } from '../proof-error.ts';
import { emptyRoot, hashSize, nodeHash } from './hashing.ts';
import { perfectSubtrees } from './subtrees.ts';

/** How many hashes a full tile has, and how many levels of the tree it stands for (c2sp.org/tlog-tiles). */
export const tileWidth = 256;
const tileHeight = 8;

export interface TileCoordinate {
  readonly level: number;
  readonly index: number;
  /** 256 for a full tile. */
  readonly width: number;
}

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** All hashes of the tile, one after the other. */
  readonly hashes: Uint8Array;
}

/** How many hashes the tiles of a level have together. */
function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** How wide a tile is in the tree of a size: 0 for a tile beyond the tree. */
export function widthIn(size: number, level: number, index: number): number {
  return Math.max(0, Math.min(tileWidth, hashesAt(level, size) - index * tileWidth));
}

/** All tiles of the tree of a size, level by level. */
export function* tilesOf(size: number): Generator<TileCoordinate> {
  for (let level = 0; hashesAt(level, size) > 0; level += 1)
    for (let index = 0; widthIn(size, level, index) > 0; index += 1)
      yield { level, index, width: widthIn(size, level, index) };
}

/** The partial tiles of the tree of a size. They alone decide its root, and what it grows to. */
export function edgeOf(size: number): TileCoordinate[] {
  const edge: TileCoordinate[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const index = Math.floor(hashesAt(level, size) / tileWidth);
    const width = widthIn(size, level, index);
    if (width > 0) edge.push({ level, index, width });
  }
  return edge;
}

export interface GrownTree {
  readonly size: number;
  /** The full new contents of every tile that changed, the lowest level first. */
  readonly tiles: readonly Tile[];
  /** The partial tiles of the grown tree, changed or not: the next call takes them. */
  readonly edge: readonly Tile[];
}

/** Appends leaves to the tree of a size. `edge` has at least the tiles of `edgeOf(size)`, and these with at least that width. */
export function growTiles(size: number, edge: readonly Tile[], leafHashes: readonly Uint8Array[]): GrownTree {
  const grownSize = size + leafHashes.length;
  const tiles: Tile[] = [];
  const grownEdge: Tile[] = [];
  let arriving = leafHashes;
  for (let level = 0; hashesAt(level, grownSize) > 0; level += 1) {
    const before = hashesAt(level, size);
    const last = Math.floor(before / tileWidth);
    const kept = keptOf(edge, { level, index: last, width: before % tileWidth });
    const hashes = Buffer.concat([kept, ...arriving]);
    const parents: Uint8Array[] = [];
    const tileBytes = tileWidth * hashSize;
    for (let from = 0; from < hashes.length; from += tileBytes) {
      const tile = { level, index: last + from / tileBytes, hashes: hashes.subarray(from, from + tileBytes) };
      const isFull = tile.hashes.length === tileBytes;
      if (arriving.length > 0) tiles.push(tile);
      if (isFull) parents.push(subtreeHash(tile.hashes));
      else grownEdge.push(tile);
    }
    arriving = parents;
  }
  return { size: grownSize, tiles, edge: grownEdge };
}

function keptOf(edge: readonly Tile[], { level, index, width }: TileCoordinate): Uint8Array {
  if (width === 0) return new Uint8Array();
  const tile = edge.find((each) => each.level === level && each.index === index);
  if (tile === undefined || tile.hashes.length < width * hashSize)
    throw new Error(`The tile ${tilePath({ level, index, width })} is missing.`);
  return tile.hashes.subarray(0, width * hashSize);
}

/** The root of a perfect subtree whose hashes of one level are given. */
export function subtreeHash(hashes: Uint8Array): Uint8Array {
  if (hashes.length <= hashSize) return hashes;
  const middle = hashes.length / 2;
  return nodeHash(subtreeHash(hashes.subarray(0, middle)), subtreeHash(hashes.subarray(middle)));
}

/** Where a perfect subtree is found: in which tile, and which of its hashes are below it. */
export function placeOf(subtree: { readonly height: number; readonly index: number }): {
  readonly level: number;
  readonly index: number;
  readonly first: number;
  readonly count: number;
} {
  const level = Math.floor(subtree.height / tileHeight);
  const count = 2 ** (subtree.height % tileHeight);
  const first = subtree.index * count;
  return { level, index: Math.floor(first / tileWidth), first: first % tileWidth, count };
}

/** The root of the tree of a size from its partial tiles. */
export function rootOfEdge(size: number, edge: readonly Tile[]): Uint8Array {
  if (size === 0) return emptyRoot;
  const hashes = perfectSubtrees({ start: 0, end: size }).map((subtree) => {
    const { level, index, first, count } = placeOf(subtree);
    return subtreeHash(keptOf(edge, { level, index, width: first + count }).subarray(first * hashSize));
  });
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** `entries` names the bundles of entries, which lie beside the tiles of level 0. */
export type TileName = { readonly level: number | 'entries'; readonly index: number; readonly width: number };

const digits = 3;
const mostLevel = 63;

/** Such as `0/x001/x234/067.p/12`: what follows `tile/` in the URL of a tile. */
export function tilePath({ level, index, width }: TileName): string {
  const text = String(index);
  const padded = text.padStart(Math.ceil(text.length / digits) * digits, '0');
  const path = padded.replaceAll(/\d{3}(?=\d)/g, 'x$&/');
  return `${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`;
}

const pathPattern = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** @throws LogProofError `malformed` */
export function parseTilePath(text: string): TileName {
  const match = text.length < 64 ? pathPattern.exec(text) : null;
  if (match === null)
    return refuse('malformed', `${quoted(text)} is no path of a tile, such as 0/x001/067.p/12.`);
  const [, level = '', path = '', width] = match;
  const name: TileName = {
    level: level === 'entries' ? level : Number(level),
    index: Number(path.replaceAll(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  };
  const isKnown = name.level === 'entries' || name.level <= mostLevel;
  const isPartial = width === undefined || name.width < tileWidth;
  // Number reads more digits than it can keep, and x000/067 is another way to write 067.
  if (!isKnown || !isPartial || !Number.isSafeInteger(name.index) || tilePath(name) !== text)
    refuse('malformed', `${quoted(text)} is no path of a tile. Levels end at 63, widths at 255.`);
  return name;
}
