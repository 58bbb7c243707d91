import type { DatabaseSync } from 'node:sqlite';
import type { UnpackedRow } from '../../../domain/integrity/statements/packed-rows.ts';
import { boundLimit } from '../bound-limit.ts';
import {
  digestTarget,
  entriesOf,
  entryKeys,
  idStartBytes,
  jcsPlace,
  orderOf,
  type Partition,
} from '../index/entries.ts';
import { levelWrites } from '../index/levels.ts';

/** A graph by its number. A graph that is being imported has no project yet. */
export interface GraphOfRow {
  readonly id: number;
  readonly project: number | null;
}

/** A row whose kind and context set are numbers of `terms`. */
export interface NumberedRow extends Omit<UnpackedRow, 'kind' | 'contextSet'> {
  readonly kind: number;
  readonly contextSet: number;
}

/** Writes of the rows of one partition and of their index entries. */
function rowWrites(database: DatabaseSync, partition: Partition) {
  const entries = levelWrites(database, entriesOf(partition));
  const order = levelWrites(database, orderOf(partition));
  const withJcs = database.prepare(
    `SELECT seq FROM ${partition}_entries JOIN ${partition}_rows USING (seq)
     WHERE target = ? AND place = ${jcsPlace} AND jcs_digest = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO ${partition}_rows (jcs_digest, rdfc_digest, kind, time, context_set, refs, jcs)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const bySeq = database.prepare(
    `SELECT jcs_digest, rdfc_digest, refs, jcs FROM ${partition}_rows WHERE seq = ?`,
  );
  const idStartOf = database.prepare(
    `SELECT substr(rdfc_digest, 1, ${idStartBytes}) AS id_start FROM ${partition}_rows WHERE seq = ?`,
  );
  const remove = database.prepare(`DELETE FROM ${partition}_rows WHERE seq = ?`);
  const join = database.prepare(
    `INSERT OR IGNORE INTO ${partition}_graphs (seq, position, graph)
     SELECT ?1, coalesce(max(position) + 1, 0), ?2 FROM ${partition}_graphs WHERE seq = ?1`,
  );
  const joinNew = database.prepare(`INSERT INTO ${partition}_graphs (seq, position, graph) VALUES (?, 0, ?)`);
  const leave = database.prepare(`DELETE FROM ${partition}_graphs WHERE seq = ? AND graph = ?`);
  const graphsOf = database.prepare(`SELECT graph FROM ${partition}_graphs WHERE seq = ? ORDER BY position`);
  const members = database.prepare(`SELECT seq FROM ${partition}_graphs WHERE graph = ? ${boundLimit}`);
  const joinProject = database.prepare(`INSERT OR IGNORE INTO ${partition}_projects VALUES (?, ?)`);
  const leaveProjects = database.prepare(
    `DELETE FROM ${partition}_projects WHERE seq = ?1 AND project IN (
       SELECT projects.id FROM ${partition}_graphs JOIN graphs ON graphs.id = graph JOIN projects USING (project_id)
       WHERE seq = ?1
     )`,
  );
  const publish = database.prepare(
    `INSERT OR IGNORE INTO ${partition}_projects
     SELECT projects.id, seq FROM ${partition}_graphs JOIN graphs ON graphs.id = graph JOIN projects USING (project_id)
     WHERE graph = ? ORDER BY seq`,
  );
  let newest = Number(database.prepare(`SELECT max(seq) AS seq FROM ${partition}_rows`).get()?.seq ?? 0);

  const idStart = (seq: number) => idStartOf.get(seq)?.id_start as Uint8Array;

  function joined(seq: number, start: Uint8Array, { id, project }: GraphOfRow): void {
    order.add(id, start, seq);
    if (project !== null) joinProject.run(project, seq);
  }

  return {
    find(jcsDigest: Uint8Array): number | undefined {
      if (newest === 0) return undefined;
      const row = withJcs.get(digestTarget(jcsDigest), jcsDigest);
      return row && Number(row.seq);
    },

    insert(row: NumberedRow): number {
      const { jcsDigest, rdfcDigest, kind, time, contextSet, references, jcs } = row;
      const refs = JSON.stringify(references);
      const { lastInsertRowid } = insert.run(jcsDigest, rdfcDigest, kind, time, contextSet, refs, jcs);
      const seq = Number(lastInsertRowid);
      for (const [target, place] of entryKeys(row)) entries.add(target, place, seq);
      newest = Math.max(newest, seq);
      return seq;
    },

    /** @returns whether the row was not in the graph before. */
    join(seq: number, graph: GraphOfRow): boolean {
      if (join.run(seq, graph.id).changes === 0) return false;
      joined(seq, idStart(seq), graph);
      return true;
    },

    /** Adds a row without graphs to its first one. */
    joinNew(seq: number, { rdfcDigest }: NumberedRow, graph: GraphOfRow): void {
      joinNew.run(seq, graph.id);
      joined(seq, rdfcDigest.subarray(0, idStartBytes), graph);
    },

    leave(seq: number, graph: number): void {
      leave.run(seq, graph);
      order.remove(graph, idStart(seq), seq);
    },

    /** The graphs of a row, oldest membership first. */
    graphsOf: (seq: number): number[] => graphsOf.all(seq).map(({ graph }) => Number(graph)),

    members: (graph: number, limit: number): number[] =>
      members.all(graph, limit).map(({ seq }) => Number(seq)),

    remove(seq: number): void {
      const row = bySeq.get(seq) ?? {};
      const indexed = {
        jcsDigest: row.jcs_digest as Uint8Array,
        rdfcDigest: row.rdfc_digest as Uint8Array,
        jcs: row.jcs as Uint8Array,
        references: JSON.parse(String(row.refs)),
      };
      for (const [target, place] of entryKeys(indexed)) entries.remove(target, place, seq);
      leaveProjects.run(seq);
      for (const { graph } of graphsOf.all(seq)) this.leave(seq, Number(graph));
      remove.run(seq);
    },

    /** Adds the rows of a newly registered graph to its project. */
    publish: (graph: number): void => void publish.run(graph),

    /** To be called at the end of a transaction. */
    settle(): void {
      entries.settle(newest);
      order.settle(newest);
    },
  };
}

export type SortWrites = ReturnType<typeof sortWrites>;

export function sortWrites(database: DatabaseSync) {
  return { verified: rowWrites(database, 'verified'), unverified: rowWrites(database, 'unverified') };
}
