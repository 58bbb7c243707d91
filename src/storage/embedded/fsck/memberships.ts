import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost, repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { Row } from '../statements/statement-rows.ts';
import { type Found, settled } from './repairs.ts';

const pageRows = 4_096;
const pageGraphs = 256;

/** Which statements are in which graphs, how many those have, and the documents that came with them. */
export function* fsckMemberships(
  reader: DatabaseSync,
  writer: DatabaseSync,
  repair: boolean,
): Generator<StoreProblem> {
  yield* memberships(reader, writer, repair);
  yield* counts(reader, writer, repair);
  yield* attachments(reader);
}

function* memberships(reader: DatabaseSync, writer: DatabaseSync, repair: boolean): Generator<StoreProblem> {
  const page = reader.prepare(
    `SELECT seq, position, graph, jcs_digest,
       EXISTS (SELECT 1 FROM graphs WHERE id = graph) OR
       EXISTS (SELECT 1 FROM graph_imports WHERE id = graph) AS is_graph
     FROM statement_graphs LEFT JOIN statements USING (seq)
     WHERE (seq, position) > (?, ?) ORDER BY seq, position LIMIT ${pageRows}`,
  );
  const leave = writer.prepare('DELETE FROM statement_graphs WHERE seq = ? AND position = ?');
  const look = ({ seq, position, graph, jcs_digest, is_graph }: Row): Found[] => {
    const place = [seq as number, position as number] as const;
    const statement = jcs_digest ? makeCid(codecs.jcs, jcs_digest as Uint8Array).text : `number ${seq}`;
    const found = (problem: string, fix: () => void): Found[] => [
      { problem: (isRepaired) => repairable('membership', statement, problem, isRepaired), fix },
    ];
    if (!jcs_digest)
      return found(`The graph with the number ${graph} has this statement, which does not exist`, () => {
        leave.run(...place);
      });
    if (!is_graph)
      return found(`It is in a graph with the number ${graph}, which does not exist`, () => {
        leave.run(...place);
      });
    return [];
  };
  let last = [0, -1] as [number, number];
  for (let rows = page.all(...last); rows.length > 0; rows = page.all(...last)) {
    const end = rows.at(-1);
    last = [Number(end?.seq), Number(end?.position)];
    yield* settled(writer, rows.flatMap(look), repair);
  }
}

function* counts(reader: DatabaseSync, writer: DatabaseSync, repair: boolean): Generator<StoreProblem> {
  const page = reader.prepare(
    `SELECT id, graph_id, statements, (SELECT count(*) FROM statement_graphs WHERE graph = id) AS counted
     FROM graphs WHERE id > ? ORDER BY id LIMIT ${pageGraphs}`,
  );
  const update = writer.prepare('UPDATE graphs SET statements = ? WHERE id = ?');
  const look = ({ id, graph_id, statements, counted }: Row): Found[] => {
    if (statements === counted) return [];
    const problem = `It is said to have ${statements} statements, and has ${counted}`;
    const fix = () => void update.run(counted as number, id as number);
    return [{ problem: (isRepaired) => repairable('count', String(graph_id), problem, isRepaired), fix }];
  };
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.id)))
    yield* settled(writer, rows.flatMap(look), repair);
}

function* attachments(reader: DatabaseSync): Generator<StoreProblem> {
  const strays = reader.prepare(
    `SELECT graph, cid FROM (SELECT graph, cid FROM graph_contexts UNION ALL SELECT graph, cid FROM graph_anchors)
     WHERE NOT EXISTS (SELECT 1 FROM graphs WHERE id = graph)`,
  );
  for (const { graph, cid } of strays.iterate()) {
    const problem = `It belongs to a graph with the number ${graph}, which does not exist`;
    yield lost('attachment', String(cid), problem, 'Restore the data folder from a backup.');
  }
}
