import type { DatabaseSync } from 'node:sqlite';
import { type LevelSizes, levelWrites } from '../index/levels.ts';

/** Bytes of an id's digest by which manifests are ordered: nobody finds two ids that share them. */
const idStartBytes = 16;

export const graphOrderKeys = { name: 'graph_order', columns: ['graph', 'id_start', 'seq'] } as const;

export function idStart(rdfcDigest: Uint8Array): Uint8Array {
  return rdfcDigest.subarray(0, idStartBytes);
}

/** Writes of the order in which manifests have the statements of a graph. */
export function graphOrderWrites(database: DatabaseSync, sizes: LevelSizes) {
  const levels = levelWrites(database, { ...graphOrderKeys, sizes });
  return {
    begin: levels.begin,
    add(graph: number, rdfcDigest: Uint8Array, seq: number): void {
      levels.add(graph, idStart(rdfcDigest), seq);
    },
    remove(graph: number, rdfcDigest: Uint8Array, seq: number): void {
      levels.remove(graph, idStart(rdfcDigest), seq);
    },
    settle: levels.settle,
  };
}
