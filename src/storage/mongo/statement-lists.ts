import { translated } from './faults.ts';
import type { StatementDocument } from './statement-documents.ts';
import type { StatementListName } from './statement-indexes.ts';
import { allOf, type LightDocument, type StatementFilter, type StatementReader } from './statement-reader.ts';

/** Statements that an index has by one key, or some, with their positions. */
export interface StatementList {
  readonly name: StatementListName;
  readonly filter: StatementFilter;
}

/** A list that is short enough to be sorted whole. */
export interface FewStatements {
  readonly index: string;
  readonly filter: StatementFilter;
}

export interface Newest<Document> {
  readonly documents: Document[];
  /** Nothing from this position up is left to be looked at; null at the end of the list. */
  readonly next: Uint8Array | null;
}

export interface Wanted {
  readonly filters: readonly StatementFilter[];
  /** Newer ones have been looked at. */
  readonly below: Uint8Array | null;
  readonly limit: number;
}

/** Stretches that are looked through at a time; each has about a thousand statements of the list. */
const stretchesLooked = 20;
/** Bytes of the documents that are held at a time. */
const bytesHeld = 8 << 20;

/**
 * The newest statements of a list that are wanted. The list is looked through from milestone to milestone, so that
 * a server does neither sort all of it nor look through all of it for a few; not every server keeps indexes in order.
 */
export async function newest(
  reader: StatementReader,
  list: StatementList | FewStatements,
  wanted: Wanted,
): Promise<Newest<StatementDocument>> {
  return await newestOf((...args) => reader.whole(...args), reader, list, wanted);
}

export async function newestLight(
  reader: StatementReader,
  list: StatementList | FewStatements,
  wanted: Wanted,
): Promise<Newest<LightDocument>> {
  return await newestOf((...args) => reader.light(...args), reader, list, wanted);
}

async function newestOf<Document extends LightDocument>(
  read: (...args: Parameters<StatementReader['light']>) => AsyncIterable<Document>,
  reader: StatementReader,
  list: StatementList | FewStatements,
  { filters, below, limit }: Wanted,
): Promise<Newest<Document>> {
  const index = 'name' in list ? list.name : list.index;
  const documents: Document[] = [];
  let bytes = 0;
  let bound = below;
  for (let looked = 0; looked < stretchesLooked; looked += 1) {
    const mark = 'name' in list ? await newestMilestone(reader, list, bound) : null;
    const stretch = allOf(list.filter, ...filters, between(mark, bound));
    for await (const document of read(stretch, { index, order: -1, limit: limit + 1 - documents.length })) {
      if (documents.length === limit || bytes > bytesHeld)
        return { documents, next: documents.at(-1)?.position ?? null };
      documents.push(document);
      bytes += sizeOf(document);
    }
    bound = mark;
    if (bound === null) break;
  }
  return { documents, next: bound };
}

/** One statement of about a thousand divides every list that it is in. */
async function newestMilestone(
  { statements }: StatementReader,
  { name, filter }: StatementList,
  below: Uint8Array | null,
): Promise<Uint8Array | null> {
  const milestones = allOf(filter, { milestone: true }, between(null, below));
  const found = await translated(() =>
    statements.findOne(milestones, {
      projection: { position: 1 },
      sort: { position: -1 },
      hint: `${name}_milestones`,
    }),
  );
  return found?.position ?? null;
}

function between(from: Uint8Array | null, below: Uint8Array | null): StatementFilter {
  if (from === null && below === null) return {};
  return { position: { ...(from && { $gte: from }), ...(below && { $lt: below }) } };
}

function sizeOf({ jcs, references }: LightDocument): number {
  return (jcs?.length ?? 0) + references.reduce((sum, { length }) => sum + length, 0);
}
