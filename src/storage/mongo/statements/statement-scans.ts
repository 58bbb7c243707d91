import type { Filter, ObjectId } from 'mongodb';
import { throwBadCursor } from '../../../domain/cursors.ts';
import { codecs, digestHex, isStatementCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementList } from '../../../domain/integrity/statements/rows.ts';
import { positionIn } from '../positions.ts';
import { referenceEntry, type StatementDocument } from './statement-documents.ts';

/** A query on one index. Without `sort` the documents have no order. */
export interface Scan {
  readonly hint: string;
  readonly filter: Filter<StatementDocument>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

type MarkedDocument = Pick<StatementDocument, 'position' | 'rdfc' | 'time'>;

/**
 * The scans whose results, one after the other, are the rows of a list after a mark.
 * @param graph key of the graph of the list; undefined when it is not registered.
 */
export function scansOf(list: StatementList, graph: ObjectId | undefined, after: string | null): Scan[] {
  if (list.by === 'time') return scansOfTime(list, after);
  const place = after === null ? null : (positionIn(after) ?? throwBadCursor());
  const isOldestFirst = list.by === 'id';
  const position = place && { position: { [isOldestFirst ? '$gt' : '$lt']: place } };
  const scan = (filter: Filter<StatementDocument>): Scan[] => [
    { hint: list.by, filter: { ...filter, ...position }, sort: { position: isOldestFirst ? 1 : -1 } },
  ];
  switch (list.by) {
    case 'storing':
      return scan({});
    case 'kind':
      return scan({ kind: list.kind });
    case 'graph':
      return graph ? scan({ graphs: graph }) : [];
    case 'projects':
      return scan({ projects: { $in: list.projects } });
    case 'id':
      return isStatementCid(list.rdfcCid, codecs.rdfc) ? scan({ rdfc: list.rdfcCid.digest }) : [];
    case 'reference': {
      const entries = list.places.map((place) => referenceEntry(list.identifier, place));
      return scan({ references: { $in: entries } });
    }
  }
}

/** Times compare with numbers only, so rows without a time are in no span. */
function scansOfTime({ from, until }: Extract<StatementList, { by: 'time' }>, after: string | null): Scan[] {
  const sort = { time: -1, position: -1 } as const;
  const scan = (filter: Filter<StatementDocument>): Scan => ({ hint: 'time', filter, sort });
  const $gte = from ?? Number.NEGATIVE_INFINITY;
  if (after === null) return [scan({ time: { $gte, $lt: until ?? Number.POSITIVE_INFINITY } })];
  const [, time, digits = ''] = /^(-?\d{1,16}) (.{24})$/.exec(after) ?? [];
  const position = positionIn(digits) ?? throwBadCursor();
  const earlier = scan({ time: { $gte, $lt: Number(time) } });
  return [scan({ time: Number(time), position: { $lt: position } }), earlier];
}

export function markOf(list: StatementList, { time, position }: MarkedDocument): string {
  return list.by === 'time' ? `${time} ${position}` : position.toHexString();
}

/** Like `scansOf`, for the contents of a graph; null for all rows, whose index also has those in no graph. */
export function scansOfContents(graphs: ObjectId | null, after: string | null): Scan[] {
  const scan = (filter: Filter<StatementDocument>): Scan => ({
    hint: graphs ? 'contents' : 'id',
    filter: { ...(graphs && { graphs }), ...filter },
    sort: { rdfc: 1, position: 1 },
  });
  if (after === null) return [scan({})];
  const { rdfc, position } = readMarkOfContents(after);
  return [scan({ rdfc, position: { $gt: position } }), scan({ rdfc: { $gt: rdfc } })];
}

export function markOfContents({ rdfc, position }: Pick<MarkedDocument, 'rdfc' | 'position'>): string {
  return digestHex({ digest: rdfc }) + position.toHexString();
}

export function readMarkOfContents(mark: string): Pick<StatementDocument, 'rdfc' | 'position'> {
  const [, digest = '', digits = ''] = /^([0-9a-f]{64})(.{24})$/.exec(mark) ?? [];
  return { rdfc: Buffer.from(digest, 'hex'), position: positionIn(digits) ?? throwBadCursor() };
}
