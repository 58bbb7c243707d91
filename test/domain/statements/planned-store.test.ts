import { planned } from '../../../src/domain/integrity/statements/statement-index.ts';
import { graphContentsContract } from '../../contract/graph-contents.ts';
import { RowsInMemory } from '../../contract/rows-in-memory.ts';
import { statementIndexContract } from '../../contract/statement-index.ts';
import { statementStoreContract } from '../../contract/statement-store.ts';

async function open() {
  const { rows, statements, graphs, graphImports, graphReads, snapshot } = new RowsInMemory();
  const store = planned({ rows, statements, graphs, graphImports, graphReads, snapshot });
  return { ...store, [Symbol.asyncDispose]: async () => {} };
}

statementStoreContract(open);
statementIndexContract(open);
graphContentsContract(open);
