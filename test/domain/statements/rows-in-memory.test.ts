import { RowsInMemory } from '../../contract/rows-in-memory.ts';
import { statementRowsContract } from '../../contract/statement-rows.ts';

statementRowsContract(async () => new RowsInMemory());
