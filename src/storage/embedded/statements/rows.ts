import type { DatabaseSync } from 'node:sqlite';
import { codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { placeNumber } from '../../../domain/integrity/statements/places.ts';
import type {
  ListedStatement,
  ReferringRow,
  StatementList,
  StatementRows,
} from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { digestTarget, idStartBytes, jcsPlace, referenceTarget, type Sort } from '../index/entries.ts';
import { refuseMark, statementLists, writeMark } from './lists.ts';
import {
  isStatementCid,
  membershipReads,
  type Row,
  referringRow,
  selectReferring,
  statementRow,
} from './statement-rows.ts';

/** A page ends when the bytes and the references of its rows are as long as this. */
const pageLength = 1 << 21;
/** Rows that refer to identifiers are given up when their references are longer than this, in characters of JSON. */
const referringLength = 1 << 24;

/** Digits of a mark of contents: the beginning of the digest, and the number of the row. */
const startDigits = 2 * idStartBytes;
const seqDigits = 14;

/** Reads the rows of one sort, on the connection that reads. */
export function embeddedRows(reader: DatabaseSync, sort: Sort): StatementRows {
  const entriesOf = statementLists(reader, sort);
  const memberships = membershipReads(reader, sort);
  const light = selectReferring(reader, sort);
  const bySeq = reader.prepare(`SELECT * FROM ${sort}_rows WHERE seq = ?`);
  const byJcs = reader.prepare(
    `SELECT * FROM ${sort}_rows WHERE jcs_digest = ?1
     AND seq IN (SELECT seq FROM ${sort}_entries WHERE target = ?2 AND place = ${jcsPlace})`,
  );
  const referring = reader.prepare(
    `SELECT place, seq FROM ${sort}_entries WHERE target = ? AND place >= 0 LIMIT ?`,
  );
  const ordered = reader.prepare(
    `SELECT id_start, seq FROM ${sort}_order WHERE graph = ? AND (id_start, seq) > (?, ?)
     ORDER BY id_start, seq LIMIT ?`,
  );
  const graphByName = reader.prepare('SELECT id FROM graphs WHERE graph_id = ?');

  return {
    async page(list, after, limit) {
      const rows: ListedStatement[] = [];
      let length = 0;
      for await (const { seq, mark } of entriesOf(list, after)) {
        const row = bySeq.get(seq);
        const statement = row && statementRow(row, sort);
        if (!statement || !isOn(list, statement)) continue;
        if (rows.length === limit || length >= pageLength) return { rows, next: rows.at(-1)?.mark ?? null };
        rows.push({ ...statement, memberships: memberships(seq), mark });
        length += statement.jcs.length + String(row.refs).length;
        await yieldToEventLoop();
      }
      return { rows, next: null };
    },

    async referring(identifiers, places, limit) {
      const known = new Map<number, ReferringRow | undefined>();
      let length = 0;
      const read = (seq: number) => {
        if (known.has(seq)) return known.get(seq);
        const row = light.get(seq);
        const statement = row && referringRow(row, sort, writeMark(seq), () => memberships(seq));
        known.set(seq, statement);
        length += String(row?.refs).length;
        return statement;
      };
      const answers: (ReferringRow[] | null)[] = [];
      for (const identifier of identifiers) {
        const entries = referring.all(referenceTarget(identifier), limit + 1);
        const meant = entries.filter(({ place }) => places === null || places.includes(Number(place)));
        const seqs = new Set(meant.map(({ seq }) => Number(seq)));
        const found: ReferringRow[] = [];
        for (const seq of entries.length > limit ? [] : [...seqs].sort((one, other) => other - one)) {
          const row = length < referringLength ? read(seq) : undefined;
          if (row) found.push(row);
        }
        answers.push(entries.length > limit || length >= referringLength ? null : found);
        await yieldToEventLoop();
      }
      return answers;
    },

    async whole(jcsCids) {
      return jcsCids.map((cid) => {
        if (!isStatementCid(cid, codecs.jcs)) return undefined;
        const row = byJcs.get(cid.digest, digestTarget(cid.digest));
        return row && { ...statementRow(row, sort), memberships: memberships(Number(row.seq)) };
      });
    },

    async contents(graphId, after, limit) {
      const { start, seq } = after === null ? { start: new Uint8Array(), seq: 0 } : readMark(after);
      const graph = graphByName.get(graphId)?.id ?? null;
      return ordered.all(graph, start, seq, limit).map(markOf);
    },

    async atMarks(marks) {
      return marks.map((mark) => {
        const { start, seq } = readMark(mark);
        const row = bySeq.get(seq);
        const isSame = row && Buffer.from(row.rdfc_digest as Uint8Array).indexOf(start) === 0;
        return isSame ? statementRow(row, sort) : undefined;
      });
    },
  };
}

/** Whether a row is on a list, which it is by its hash. */
function isOn(list: StatementList, { rdfcCid, kind, references }: StatementRow): boolean {
  if (list.by === 'id') return rdfcCid.text === list.rdfcCid.text;
  if (list.by !== 'reference') return true;
  return references.some(
    ({ identifier, role }) =>
      identifier === list.identifier && list.places.includes(placeNumber({ role, kind })),
  );
}

function markOf({ id_start, seq }: Row): string {
  const start = Buffer.from(id_start as Uint8Array).toString('hex');
  return start + Number(seq).toString(16).padStart(seqDigits, '0');
}

/** @throws ServiceError `invalid_request`. */
function readMark(mark: string): { readonly start: Uint8Array; readonly seq: number } {
  if (!/^[0-9a-f]+$/.test(mark) || mark.length !== startDigits + seqDigits) refuseMark();
  const seq = Number.parseInt(mark.slice(startDigits), 16);
  return { start: Buffer.from(mark.slice(0, startDigits), 'hex'), seq };
}
