import type { DatabaseSync } from 'node:sqlite';
import { type LevelSizes, levelWrites } from './levels.ts';

/** Bytes of an id's digest by which manifests are ordered: nobody finds two ids that share them. */
export const idStartBytes = 16;

/** Writes of the order in which manifests have the statements of a graph. */
export function graphOrderWrites(database: DatabaseSync, sizes: LevelSizes) {
  const columns = ['graph', 'id_start', 'seq'];
  const levels = levelWrites(database, { name: 'graph_order', columns, sizes });
  const start = (rdfcDigest: Uint8Array) => rdfcDigest.subarray(0, idStartBytes);
  return {
    begin: levels.begin,
    add(graph: number, rdfcDigest: Uint8Array, seq: number): void {
      levels.add(graph, start(rdfcDigest), seq);
    },
    remove(graph: number, rdfcDigest: Uint8Array, seq: number): void {
      levels.remove(graph, start(rdfcDigest), seq);
    },
    settle: levels.settle,
  };
}
