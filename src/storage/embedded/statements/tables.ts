import { entriesOf, entryTypes, orderOf, orderTypes, type Sort } from '../index/entries.ts';
import { createLevels } from '../index/levels.ts';

/**
 * The tables of one sort of rows. Both digests are BLAKE3-256. The writer thread makes sure that a `jcs_digest` occurs
 * once in both sorts together. `kind` and `context_set` are numbers of `terms`, and `refs` is JSON of
 * `PackedReferences`. `jcs` is the last column, so that queries without it do not read its pages.
 */
export function statementTables(sort: Sort): string {
  return `
   CREATE TABLE ${sort}_rows (
     seq INTEGER PRIMARY KEY,
     jcs_digest BLOB NOT NULL,
     rdfc_digest BLOB NOT NULL,
     kind INTEGER NOT NULL,
     time INTEGER,
     context_set INTEGER NOT NULL,
     refs TEXT NOT NULL,
     jcs BLOB NOT NULL
   ) STRICT;
   CREATE INDEX ${sort}_by_kind ON ${sort}_rows (kind, seq);
   CREATE INDEX ${sort}_by_time ON ${sort}_rows (time, seq) WHERE time IS NOT NULL;
   ${createLevels(entriesOf(sort), entryTypes)}

   CREATE TABLE ${sort}_graphs (
     seq INTEGER NOT NULL,
     position INTEGER NOT NULL,
     graph INTEGER NOT NULL,
     PRIMARY KEY (seq, position)
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX ${sort}_of_graph ON ${sort}_graphs (graph, seq);
   CREATE TABLE ${sort}_projects (
     project INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (project, seq)
   ) STRICT, WITHOUT ROWID;
   ${createLevels(orderOf(sort), orderTypes)}`;
}
