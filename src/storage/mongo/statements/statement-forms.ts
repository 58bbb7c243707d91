import { type Cid, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { Page, StatementPage, StoredStatement } from '../../../domain/integrity/ports.ts';
import { PageRoom } from '../../page-room.ts';
import { readPositionCursor, writePositionCursor } from '../position-cursors.ts';
import { allOf, isStatementCid, type StatementReader } from './statement-reader.ts';
import type { DocumentScope } from './statement-scopes.ts';

/** The forms of a statement, by either of its names. */
export function statementForms(reader: StatementReader) {
  return {
    async form(jcsCid: Cid, { filter, scope }: DocumentScope): Promise<StoredStatement | undefined> {
      if (!isStatementCid(jcsCid, codecs.jcs)) return undefined;
      const named = allOf({ _id: jcsCid.digest }, filter);
      const found = await Array.fromAsync(reader.whole(named, { index: '_id_', limit: 1 }));
      const [shown] = await reader.shown(found, scope.visibility);
      return shown;
    },

    async forms(
      rdfcCid: Cid,
      { after, limit }: Page,
      { filter, scope }: DocumentScope,
    ): Promise<StatementPage> {
      const question = ['forms', rdfcCid.text, scope.graphId];
      let last = after === null ? null : readPositionCursor(after, question);
      const statements: StoredStatement[] = [];
      if (!isStatementCid(rdfcCid, codecs.rdfc)) return { statements };
      const room = new PageRoom(limit);
      const named = allOf({ rdfc: rdfcCid.digest }, filter, last ? { position: { $gt: last } } : {});
      for await (const document of reader.whole(named, { index: 'rdfc', order: 1, limit: limit + 1 })) {
        if (!room.hasRoom() && last) return { statements, next: writePositionCursor(last, question) };
        last = document.position;
        const [shown] = await reader.shown([document], scope.visibility);
        if (!shown) continue;
        statements.push(shown);
        room.take(shown);
      }
      return { statements };
    },
  };
}
