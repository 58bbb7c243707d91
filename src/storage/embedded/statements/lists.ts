import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { throwBadCursor } from '../../../domain/cursors.ts';
import { type Cid, codecs, isStatementCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementList } from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { boundLimit } from '../bound-limit.ts';
import { digestTarget, type Partition, rdfcPlace, referenceTarget } from '../index/entries.ts';
import { writeMark } from './statement-rows.ts';
import type { TermReads } from './terms.ts';

/** A row number and the mark after it. Hash collisions can put a wrong row on a list. */
export interface ListEntry {
  readonly seq: number;
  readonly mark: string;
}

type TimeList = Extract<StatementList, { by: 'time' }>;
type NewestFirst = Exclude<StatementList, { by: 'time' | 'id' }>;
/** Reads the row numbers of a list that are below a number, greatest first. */
type Source = (below: number, limit: number) => number[];

/** Entries to read at once from one source, and from each of many. */
const mostAtOnce = 256;
const fewestAtOnce = 8;

export function statementLists(reader: DatabaseSync, partition: Partition, terms: TermReads) {
  const numbers = (sql: string) => {
    const statement = reader.prepare(sql);
    return (...values: SQLInputValue[]) => statement.all(...values).map(({ seq }) => Number(seq));
  };
  const newest = (from: string, where: string) => {
    const read = numbers(
      `SELECT seq FROM ${partition}_${from} WHERE ${where} AND seq < ? ORDER BY seq DESC ${boundLimit}`,
    );
    const source =
      (...key: SQLInputValue[]): Source =>
      (below, limit) =>
        read(...key, below, limit);
    return source;
  };
  const all = newest('rows', 'true');
  const ofKind = newest('rows', 'kind = ?');
  const ofGraph = newest('graphs', 'graph = ?');
  const ofProject = newest('projects', 'project = ?');
  const ofPlace = newest('entries', 'target = ? AND place = ?');
  const ofId = numbers(
    `SELECT seq FROM ${partition}_entries WHERE target = ? AND place = ${rdfcPlace} AND seq > ? ORDER BY seq ${boundLimit}`,
  );
  const inTime = reader.prepare(
    `SELECT time, seq FROM ${partition}_rows WHERE (time, seq) < (?, ?) AND time >= ?
     ORDER BY time DESC, seq DESC LIMIT ${mostAtOnce}`,
  );
  const graphs = reader.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const projects = reader.prepare('SELECT id FROM projects WHERE project_id = ?');

  function sourcesOf(list: NewestFirst): Source[] {
    switch (list.by) {
      case 'storing':
        return [all()];
      case 'kind': {
        const kind = terms.number(list.kind);
        return kind === undefined ? [] : [ofKind(kind)];
      }
      case 'graph':
        return graphs.all(list.graphId).flatMap(({ id = null }) => ofGraph(id));
      case 'projects':
        return [...new Set(list.projects)]
          .flatMap((projectId) => projects.get(projectId)?.id ?? [])
          .map((id) => ofProject(id));
      case 'reference': {
        const target = referenceTarget(list.identifier);
        return [...new Set(list.places)].map((place) => ofPlace(target, place));
      }
    }
  }

  async function* timed({ from, until }: TimeList, after: string | null): AsyncGenerator<ListEntry> {
    const oldest = from ?? Number.MIN_SAFE_INTEGER;
    const end = until ?? Number.MAX_SAFE_INTEGER;
    let [time = 0, seq = 0] = after === null ? [end] : readMark(after, 2);
    if (time > end || time < oldest) throwBadCursor();
    for (let isFull = true; isFull; ) {
      const rows = inTime.all(time, seq, oldest);
      for (const row of rows) {
        [time, seq] = [Number(row.time), Number(row.seq)];
        yield { seq, mark: writeMark(time, seq) };
      }
      isFull = rows.length === mostAtOnce;
    }
  }

  async function* withId(rdfcCid: Cid, after: string | null): AsyncGenerator<ListEntry> {
    let [last = 0] = after === null ? [] : readMark(after, 1);
    if (!isStatementCid(rdfcCid, codecs.rdfc)) return;
    for (let isFull = true; isFull; ) {
      const found = ofId(digestTarget(rdfcCid.digest), last, mostAtOnce);
      for (const seq of found) yield { seq, mark: writeMark(seq) };
      last = found.at(-1) ?? last;
      isFull = found.length === mostAtOnce;
    }
  }

  /** @throws ServiceError `invalid_request` for a mark that the list cannot have. */
  return function entriesOf(list: StatementList, after: string | null): AsyncGenerator<ListEntry> {
    if (list.by === 'time') return timed(list, after);
    if (list.by === 'id') return withId(list.rdfcCid, after);
    const [below] = after === null ? [Number.MAX_SAFE_INTEGER] : readMark(after, 1);
    return newestFirst(sourcesOf(list), below ?? 0);
  };
}

/** Merges lists without duplicates. */
async function* newestFirst(sources: readonly Source[], below: number): AsyncGenerator<ListEntry> {
  const atOnce = Math.max(Math.floor(mostAtOnce / sources.length), fewestAtOnce);
  const heads: { read: Source; found: number[]; at: number }[] = [];
  for (const read of sources) {
    heads.push({ read, found: read(below, atOnce), at: 0 });
    await yieldToEventLoop();
  }
  for (;;) {
    const seq = heads.reduce((most, { found, at }) => Math.max(most, found[at] ?? 0), 0);
    if (seq === 0) return;
    yield { seq, mark: writeMark(seq) };
    for (const head of heads) {
      if (head.found[head.at] !== seq) continue;
      head.at += 1;
      if (head.at < atOnce) continue;
      head.found = head.read(seq, atOnce);
      head.at = 0;
    }
  }
}

export function readMark(mark: string, length: number): number[] {
  const numbers = mark.split('_').map((digits) => Number.parseInt(digits, 36));
  const isMark = numbers.length === length && numbers.every(Number.isSafeInteger);
  return isMark && writeMark(...numbers) === mark ? numbers : throwBadCursor();
}
