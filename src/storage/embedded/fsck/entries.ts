import type { DatabaseSync } from 'node:sqlite';
import { graphOrderKeys, idStart } from '../graphs/graph-order.ts';
import { digestTarget, entryKeys, jcsRole, noKind, rdfcRole, referenceTarget } from '../index/entries.ts';
import { nameWrites } from '../index/names.ts';
import type { Row } from '../statements/statement-rows.ts';
import type { FsckIndex } from './index.ts';
import { type IndexKey, indexKey } from './levels.ts';
import { isListOfPairs } from './statements.ts';

/** The number of a name that has none yet. */
const noName = -1;

/** `entries`: by a statement's own digests, and by what it refers to. */
export function indexOfEntries(reader: DatabaseSync, writer: DatabaseSync, repair: boolean): FsckIndex {
  const find = reader.prepare('SELECT id FROM names WHERE name = ?');
  const names = reader.prepare('SELECT name FROM names WHERE id = ?');
  const nameOf = (number: unknown) => String(names.get(Number(number))?.name ?? `number ${number}`);
  const numbers = nameWrites(writer);
  const numberOf = (name: string) => (repair ? numbers.numberOf(name) : Number(find.get(name)?.id ?? noName));
  return {
    keys: entryKeys,
    keysOf({ seq, jcs_digest, rdfc_digest, trusted, kind, refs }: Row): IndexKey[] {
      const keys = [
        indexKey(digestTarget(jcs_digest as Uint8Array), 1, jcsRole, noKind, Number(seq)),
        indexKey(digestTarget(rdfc_digest as Uint8Array), Number(trusted), rdfcRole, noKind, Number(seq)),
      ];
      const pairs = isListOfPairs(String(refs)) ? (JSON.parse(String(refs)) as [string, string][]) : [];
      for (const [role, identifier] of pairs) {
        const place = [numberOf(role), numberOf(String(kind))];
        keys.push(indexKey(referenceTarget(identifier), Number(trusted), ...place, Number(seq)));
      }
      return [...new Map(keys.map((key) => [key.name, key])).values()];
    },
    describe({ values: [, , role, kind] }: IndexKey): string {
      if (role === jcsRole || role === rdfcRole) return `by its ${role === jcsRole ? 'jcs_cid' : 'rdfc_cid'}`;
      return `by a reference "${nameOf(role)}" of a "${nameOf(kind)}"`;
    },
  };
}

/** `graph_order`: the order in which manifests have the statements of a graph. Of graphs that do not exist it has none. */
export function indexOfGraphOrder(reader: DatabaseSync): FsckIndex {
  const graphsOf = reader.prepare(
    `SELECT graph FROM statement_graphs WHERE seq = ?
     AND (EXISTS (SELECT 1 FROM graphs WHERE id = graph) OR EXISTS (SELECT 1 FROM graph_imports WHERE id = graph))`,
  );
  return {
    keys: graphOrderKeys,
    keysOf: ({ seq, rdfc_digest }: Row) =>
      graphsOf
        .all(Number(seq))
        .map(({ graph }) => indexKey(Number(graph), idStart(rdfc_digest as Uint8Array), Number(seq))),
    describe: ({ values: [graph] }: IndexKey) => `of the graph with the number ${graph}`,
  };
}
