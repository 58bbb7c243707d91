import { translated } from '../errors.ts';
import { beginningWith } from '../references/reference-entries.ts';
import type { StatementListName } from './statement-indexes.ts';
import {
  allOf,
  type LightDocument,
  type ReadStatements,
  type StatementFilter,
  type StatementReader,
} from './statement-reader.ts';

/** Statements that an index has by one key, or some, with their positions. */
export interface StatementList {
  readonly name: StatementListName;
  readonly filter: StatementFilter;
  /** Whether it is short enough to be sorted and looked through whole. */
  readonly isShort: boolean;
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
/** Bytes of documents that are held at a time. */
const bytesHeld = 8 << 20;

/**
 * The newest statements of a list that are wanted. A long list is looked through from milestone to milestone, so that
 * the server neither sorts all of it, as some do for want of indexes in order, nor looks through all of it for a few.
 */
export async function newest<Document extends LightDocument>(
  { statements }: StatementReader,
  read: ReadStatements<Document>,
  list: StatementList,
  { filters, below, limit }: Wanted,
): Promise<Newest<Document>> {
  const documents: Document[] = [];
  let bytes = 0;
  let bound = below;
  for (let looked = 0; looked < stretchesLooked; looked += 1) {
    const mark = list.isShort ? null : await newestMilestone(statements, list, bound);
    const stretch = allOf(list.filter, ...filters, between(mark, bound));
    const left = limit - documents.length;
    for await (const document of read(stretch, { index: list.name, order: -1, limit: left + 1 })) {
      if (documents.length === limit || bytes > bytesHeld)
        return { documents, next: documents.at(-1)?.position ?? null };
      documents.push(document);
      bytes += bytesOf(document);
    }
    bound = mark;
    if (bound === null) break;
  }
  return { documents, next: bound };
}

/** All statements with one of these references, in no order; undefined where they are too many, or too large. */
export async function allReferring(
  reader: StatementReader,
  starts: readonly string[],
  limit: number,
): Promise<LightDocument[] | undefined> {
  const filter = { references: { $in: starts.map(beginningWith) } };
  const found: LightDocument[] = [];
  let bytes = 0;
  for await (const document of reader.light(filter, { index: 'references', limit: limit + 1 })) {
    bytes += bytesOf(document);
    if (found.push(document) > limit || bytes > bytesHeld) return undefined;
  }
  return found;
}

/** One statement of about a thousand divides every list that it is in. */
async function newestMilestone(
  statements: StatementReader['statements'],
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

function bytesOf({ jcs, references }: LightDocument): number {
  return (jcs?.length ?? 0) + references.reduce((sum, { length }) => sum + length, 0);
}
