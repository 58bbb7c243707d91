import type { Collection, Document } from 'mongodb';
import { type Cid, codecs, isStatementCid, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import type {
  BySort,
  ListedPage,
  ListedStatement,
  Membership,
  OrderedRows,
  PlacedStatement,
  ReferringRow,
  StatementList,
  StatementRows,
  WholeStatement,
} from '../../../domain/integrity/statements/rows.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { pageBytes } from '../../record-pages.ts';
import type { Database } from '../database.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { microsecondsOf } from '../positions.ts';
import { eachDocument, rawDocuments, someDocuments } from '../some-documents.ts';
import {
  entriesAnywhere,
  type Partition,
  referenceEntry,
  referencesIn,
  type StatementDocument,
  statementCollections,
  statementRow,
} from './statement-documents.ts';
import {
  markOf,
  markOfContents,
  readMarkOfContents,
  type Scan,
  scansOf,
  scansOfContents,
} from './statement-scans.ts';

const bytesHeld = 8 << 20;

const withoutText = { jcs: 0, contextSet: 0, projects: 0 };

type LightDocument = Omit<StatementDocument, 'jcs' | 'contextSet' | 'projects'>;
type PlacedDocument = Pick<StatementDocument, '_id' | 'position' | 'graphs'>;

export function mongoStatementRows(
  database: Database,
  graphs: RegisteredGraphs,
): BySort<StatementRows & OrderedRows> {
  const { verified, unverified } = statementCollections(database);
  return {
    verified: mongoRows(verified, 'verified', graphs),
    unverified: mongoRows(unverified, 'unverified', graphs),
  };
}

/** The rows of one collection: verified or unverified statements. */
function mongoRows(
  stored: Collection<StatementDocument>,
  partition: Partition,
  registered: RegisteredGraphs,
): StatementRows & OrderedRows {
  async function page(list: StatementList, after: string | null, limit: number): Promise<ListedPage> {
    for (let from = after; ; ) {
      const { rows, next } = await pageFrom(list, from, limit);
      // Rows of an import have its project before the graph is registered.
      const shown = list.by === 'projects' ? rows.filter((row) => isOfProjects(row, list.projects)) : rows;
      if (shown.length > 0 || next === null) return { rows: shown, next };
      from = next;
    }
  }

  async function pageFrom(list: StatementList, after: string | null, limit: number): Promise<ListedPage> {
    const graph = list.by === 'graph' ? await registered.find(list.graphId) : undefined;
    const scans = scansOf(list, graph?._id, after);
    const { documents, isLonger } = await some<StatementDocument>(scans, {}, limit, pageBytes);
    const rows = await withMemberships(documents, (document, memberships) => ({
      ...statementRow(document, partition),
      memberships,
      position: microsecondsOf(document.position),
      mark: markOf(list, document),
    }));
    return { rows, next: isLonger ? (rows.at(-1)?.mark ?? null) : null };
  }

  async function referring(
    identifiers: readonly string[],
    places: readonly number[] | null,
    limit: number,
  ): Promise<(readonly ReferringRow[] | null)[]> {
    const together = await referringTo(identifiers, places, identifiers.length * limit, bytesHeld);
    const found: (readonly ReferringRow[] | null)[] = [];
    let left = bytesHeld;
    for (const identifier of identifiers) {
      const answer = together ?? (await referringTo([identifier], places, limit, left));
      const rows = answer?.byIdentifier.get(identifier);
      found.push(rows && rows.length <= limit ? rows : null);
      if (!together) left -= answer?.bytes ?? 0;
    }
    return found;
  }

  /** The rows that refer to each identifier; null when they are too many or too large. */
  async function referringTo(
    identifiers: readonly string[],
    places: readonly number[] | null,
    limit: number,
    mostBytes: number,
  ) {
    const entriesOf = (identifier: string): (string | RegExp)[] =>
      places ? places.map((place) => referenceEntry(identifier, place)) : entriesAnywhere(identifier);
    const entries = identifiers.flatMap(entriesOf);
    const scans = [{ hint: 'reference', filter: { references: { $in: entries } } }];
    const { documents, bytes, isLonger } = await some<LightDocument>(scans, withoutText, limit, mostBytes);
    if (isLonger) return null;
    documents.sort((one, other) => Buffer.compare(other.position.id, one.position.id));
    const found = new Map(identifiers.map((identifier) => [identifier, new Set<ReferringRow>()]));
    const rows = await withMemberships(documents, (document, memberships) => ({
      rdfcCid: makeCid(codecs.rdfc, document.rdfc),
      get jcsCid() {
        return makeCid(codecs.jcs, document._id);
      },
      kind: document.kind,
      references: referencesIn(document),
      time: document.time,
      isTrusted: partition === 'verified',
      associationType: document.associationType ?? null,
      memberships,
      mark: document.position.toHexString(),
    }));
    for (const row of rows) {
      for (const { identifier } of row.references) found.get(identifier)?.add(row);
      await yieldToEventLoop();
    }
    return { byIdentifier: new Map(found.entries().map(([name, own]) => [name, [...own]])), bytes };
  }

  async function whole(jcsCids: readonly Cid[]): Promise<(WholeStatement | undefined)[]> {
    const ids = jcsCids.filter((cid) => isStatementCid(cid, codecs.jcs)).map(({ digest }) => digest);
    const documents = await all({ hint: '_id_', filter: { _id: { $in: ids } } }, ids.length);
    const rows = await withMemberships(documents, (document, memberships) => ({
      ...statementRow(document, partition),
      memberships,
      position: microsecondsOf(document.position),
    }));
    const byName = new Map(rows.map((row) => [row.jcsCid.text, row]));
    return jcsCids.map(({ text }) => byName.get(text));
  }

  async function placed(jcsCids: readonly Cid[]): Promise<(PlacedStatement | undefined)[]> {
    const ids = jcsCids.filter((cid) => isStatementCid(cid, codecs.jcs)).map(({ digest }) => digest);
    const scan = { hint: '_id_', filter: { _id: { $in: ids } } };
    const fields = { _id: 1, position: 1, graphs: 1 };
    const { documents } = await some<PlacedDocument>([scan], fields, ids.length, Number.POSITIVE_INFINITY);
    const rows = await withMemberships(documents, ({ _id, position }, memberships) => ({
      jcsCid: makeCid(codecs.jcs, _id),
      memberships,
      position: microsecondsOf(position),
    }));
    const byName = new Map(rows.map((row) => [row.jcsCid.text, row]));
    return jcsCids.map(({ text }) => byName.get(text));
  }

  async function contents(graphId: string | null, after: string | null, limit: number): Promise<string[]> {
    const graph = graphId === null ? null : (await registered.find(graphId))?._id;
    const marks: string[] = [];
    const fields = { _id: 0, rdfc: 1, position: 1 };
    const scans = graph === undefined ? [] : scansOfContents(graph, after);
    for await (const { document } of read<StatementDocument>(scans, fields, limit))
      marks.push(markOfContents(document));
    return marks;
  }

  async function atMarks(marks: readonly string[]): Promise<(StatementRow | undefined)[]> {
    const positions = marks.map((mark) => readMarkOfContents(mark).position);
    const scan = { hint: 'storing', filter: { position: { $in: positions } } };
    const rows = new Map<string, StatementRow>();
    for (const document of await all(scan, marks.length)) {
      rows.set(markOfContents(document), statementRow(document, partition));
      await yieldToEventLoop();
    }
    return marks.map((mark) => rows.get(mark));
  }

  async function withMemberships<Read extends PlacedDocument, Result>(
    documents: readonly Read[],
    convert: (document: Read, memberships: Membership[]) => Result,
  ): Promise<Result[]> {
    const graphs = await registered.byKey(documents.flatMap((document) => [document.graphs].flat()));
    const results: Result[] = [];
    for (const document of documents) {
      const memberships = [document.graphs].flat().flatMap((key) => graphs.get(key.toHexString()) ?? []);
      results.push(convert(document, memberships));
      await yieldToEventLoop();
    }
    return results;
  }

  async function all(scan: Scan, limit: number): Promise<StatementDocument[]> {
    return (await some<StatementDocument>([scan], {}, limit, Number.POSITIVE_INFINITY)).documents;
  }

  /** Reads at most `limit` documents and about `mostBytes`, but at least one document. */
  async function some<Read>(scans: readonly Scan[], projection: Document, limit: number, mostBytes: number) {
    return await someDocuments(read<Read>(scans, projection, limit + 1), limit, mostBytes);
  }

  /** Reads one scan after the other. */
  async function* read<Read>(scans: readonly Scan[], projection: Document, limit: number) {
    let left = limit;
    for (const { filter, ...scan } of scans) {
      if (left === 0) return;
      const found = stored.find<Buffer>(filter, { ...scan, projection, ...rawDocuments(left) });
      for await (const read of eachDocument<Read>(found)) {
        yield read;
        left -= 1;
      }
    }
  }

  return { page, referring, whole, placed, contents, atMarks };
}

function isOfProjects({ memberships }: ListedStatement, projects: readonly string[]): boolean {
  return memberships.some(({ projectId }) => projects.includes(projectId));
}
