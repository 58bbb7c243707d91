import type { DatabaseSync } from 'node:sqlite';
import { type Cid, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { Page, StatementPage, StoredStatement } from '../../../domain/integrity/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { PageRoom } from '../../page-room.ts';
import { digestReads } from '../index/digest-reads.ts';
import { readSeqCursor, writeSeqCursor } from './seq-cursors.ts';
import { isStatementCid, selectStatements, visibleStatement } from './statement-rows.ts';
import type { RowScope } from './statement-scopes.ts';

/** The forms of a statement, by either of its names. */
export function statementForms(reader: DatabaseSync) {
  const { byJcs, nextForm } = digestReads(reader);
  const bySeq = selectStatements(reader, 'seq = ?');

  function next(rdfcCid: Cid, { trusted }: RowScope, after: number): number | undefined {
    const found = trusted.map((value) => nextForm(rdfcCid.digest, value, after));
    const seqs = found.filter((seq) => seq !== undefined);
    return seqs.length > 0 ? Math.min(...seqs) : undefined;
  }

  return {
    async form(jcsCid: Cid, rows: RowScope): Promise<StoredStatement | undefined> {
      const seq = isStatementCid(jcsCid, codecs.jcs) ? byJcs(jcsCid.digest) : undefined;
      const row = seq === undefined || !rows.sees(seq) ? undefined : bySeq.get(seq);
      if (!row || !rows.trusted.includes(row.trusted as 0 | 1)) return undefined;
      return visibleStatement(row, rows.scope.visibility);
    },

    async forms(rdfcCid: Cid, { after, limit }: Page, rows: RowScope): Promise<StatementPage> {
      const question = ['forms', rdfcCid.text, rows.scope.graphId];
      const statements: StoredStatement[] = [];
      let last = after === null ? 0 : readSeqCursor(after, question);
      if (!isStatementCid(rdfcCid, codecs.rdfc)) return { statements };
      const room = new PageRoom(limit);
      for (let seq = next(rdfcCid, rows, last); seq !== undefined; seq = next(rdfcCid, rows, last)) {
        if (!room.hasRoom()) return { statements, next: writeSeqCursor(last, question) };
        last = seq;
        const row = rows.sees(seq) ? bySeq.get(seq) : undefined;
        const statement = row && visibleStatement(row, rows.scope.visibility);
        if (statement) {
          statements.push(statement);
          room.take(statement);
        }
        await yieldToEventLoop();
      }
      return { statements };
    },
  };
}
