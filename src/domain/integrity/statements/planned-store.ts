import type { GraphContents } from '../manifest/ports.ts';
import type { StatementStore } from '../ports.ts';
import { graphContents } from './contents.ts';
import type { StatementIndex } from './questions.ts';
import type { GraphReads, RowsSnapshot, StatementRowsOfStore } from './rows.ts';
import { statementIndex, statementReads } from './statement-index.ts';

export interface StoreOfRows {
  readonly rows: StatementRowsOfStore;
  readonly statements: Pick<StatementStore, 'putMany' | 'registrarOf'>;
  readonly graphReads: GraphReads;
  snapshot(): Promise<RowsSnapshot>;
}

export interface PlannedStatements {
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphContents: GraphContents;
}

/** Adds the queries that the domain plans over the rows of a store. */
export function planned<Of extends StoreOfRows>(store: Of): Omit<Of, 'statements'> & PlannedStatements {
  const { rows, statements } = store;
  return {
    ...store,
    statements: {
      putMany: (given, graphId, registrar) => statements.putMany(given, graphId, registrar),
      registrarOf: (jcsCid) => statements.registrarOf(jcsCid),
      ...statementReads(rows),
    },
    statementIndex: statementIndex(rows),
    graphContents: graphContents(store),
  };
}
