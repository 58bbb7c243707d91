import { statementRowsContract } from '../../contract/statement-rows.ts';
import { openTemporary } from '../temporary-folder.ts';

statementRowsContract(() => openTemporary());
