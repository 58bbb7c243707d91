import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost, repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { Row } from '../statements/statement-rows.ts';
import { type Found, settled } from './repairs.ts';

const migrate = 'Move to another store with "cairn migrate", which brings what is sound of them once.';

/**
 * Statements that are stored more than once: their `jcs_digest` is there once because who writes asks an index for it.
 * The rows themselves are asked here, whatever that index says. SQLite sorts their digests, on disk if they are many.
 * What leads to the rows is put right afterwards.
 */
export function* fsckDuplicates(
  reader: DatabaseSync,
  writer: DatabaseSync,
  repair: boolean,
): Generator<StoreProblem> {
  const repeated = reader.prepare(
    `SELECT jcs_digest, json_group_array(seq) AS seqs FROM statements
     GROUP BY jcs_digest HAVING count(*) > 1`,
  );
  const contents = reader.prepare(
    'SELECT count(DISTINCT jcs) AS count FROM statements WHERE seq IN (SELECT value FROM json_each(?))',
  );
  const merge = rowMerging(writer);
  for (const { jcs_digest, seqs } of repeated.iterate() as Iterable<Row>) {
    const id = makeCid(codecs.jcs, jcs_digest as Uint8Array).text;
    const problem = `It is stored more than once, under the numbers ${JSON.parse(String(seqs)).join(', ')}`;
    const isSame = contents.get(String(seqs))?.count === 1;
    if (isSame) yield* settled(writer, [duplicate(id, problem, () => merge(String(seqs)))], repair);
    else yield lost('duplicate', id, `${problem}, with different bytes`, migrate);
  }
}

function duplicate(id: string, problem: string, fix: () => void): Found {
  return { problem: (isRepaired) => repairable('duplicate', id, problem, isRepaired), fix };
}

/** Makes one of rows that hold the same bytes: the oldest that is trusted, else the oldest, gains the graphs of all. */
function rowMerging(writer: DatabaseSync): (seqs: string) => void {
  const best = writer.prepare(
    `SELECT seq FROM statements WHERE seq IN (SELECT value FROM json_each(?))
     ORDER BY trusted DESC, seq LIMIT 1`,
  );
  const graphs = writer.prepare(
    `SELECT graph FROM statement_graphs WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, position`,
  );
  const leave = writer.prepare('DELETE FROM statement_graphs WHERE seq IN (SELECT value FROM json_each(?))');
  const join = writer.prepare(
    `INSERT OR IGNORE INTO statement_graphs (seq, position, graph)
     SELECT ?1, coalesce(max(position) + 1, 0), ?2 FROM statement_graphs WHERE seq = ?1`,
  );
  const remove = writer.prepare(
    'DELETE FROM statements WHERE seq IN (SELECT value FROM json_each(?1)) AND seq <> ?2',
  );
  return (seqs) => {
    const seq = Number(best.get(seqs)?.seq);
    const joined = graphs.all(seqs);
    leave.run(seqs);
    for (const { graph } of joined) join.run(seq, graph as number);
    remove.run(seqs, seq);
  };
}
