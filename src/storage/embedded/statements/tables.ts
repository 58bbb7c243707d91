import { entriesOf, entryTypes, orderOf, orderTypes, type Partition } from '../index/entries.ts';
import { createLevels } from '../index/levels.ts';

/**
 * The tables of one partition. Both digests are BLAKE3-256. The writer thread makes sure that a `jcs_digest` occurs
 * once in both sorts together. `kind` and `context_set` are numbers of `terms`, and `refs` is JSON of
 * `PackedReferences`. `jcs` is the last column, so that queries without it do not read its pages.
 */
export function statementTables(partition: Partition): string {
  return `
   CREATE TABLE ${partition}_rows (
     seq INTEGER PRIMARY KEY,
     jcs_digest BLOB NOT NULL,
     rdfc_digest BLOB NOT NULL,
     kind INTEGER NOT NULL,
     time INTEGER,
     context_set INTEGER NOT NULL,
     refs TEXT NOT NULL,
     jcs BLOB NOT NULL
   ) STRICT;
   CREATE INDEX ${partition}_by_kind ON ${partition}_rows (kind, seq);
   CREATE INDEX ${partition}_by_time ON ${partition}_rows (time, seq) WHERE time IS NOT NULL;
   ${createLevels(entriesOf(partition), entryTypes)}

   CREATE TABLE ${partition}_graphs (
     seq INTEGER NOT NULL,
     position INTEGER NOT NULL,
     graph INTEGER NOT NULL,
     PRIMARY KEY (seq, position)
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX ${partition}_of_graph ON ${partition}_graphs (graph, seq);
   CREATE TABLE ${partition}_projects (
     project INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (project, seq)
   ) STRICT, WITHOUT ROWID;
   ${createLevels(orderOf(partition), orderTypes)}`;
}

/**
 * Who stored the verified rows, as ranges of their numbers. The new rows of a write have numbers in sequence, and writes of
 * one registrar share a range, so ingestion changes one row of this table at most.
 */
export const registrarsTable =
  'CREATE TABLE IF NOT EXISTS registrars (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, registrar TEXT NOT NULL) STRICT';
