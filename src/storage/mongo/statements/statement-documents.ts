import type { Collection, ObjectId } from 'mongodb';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import {
  jcsText,
  type UnpackedRow,
  unpackReferences,
} from '../../../domain/integrity/statements/packed-rows.ts';
import {
  allPlaces,
  otherPlaces,
  placeNumber,
  statementPlaces,
} from '../../../domain/integrity/statements/places.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import { associationType } from '../../../domain/integrity/statements/rows.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** The fields that follow from the statement itself. Digests are BLAKE3-256. */
export interface DescribedDocument {
  readonly rdfc: Uint8Array;
  readonly kind: string;
  readonly contextSet: string;
  readonly time: number | null;
  /** Made by `referenceEntry`. */
  readonly references: readonly string[];
  /** The distinct roles of references with place 0, and for each such reference the index of its role. */
  readonly roles?: readonly string[];
  readonly roleNumbers?: readonly number[];
  /** See `associationType`. */
  readonly associationType?: string;
}

/** New documents hold a single item without an array, because some servers take almost twice as long to index arrays. */
type OneOrMore<Item> = Item | readonly Item[];

export interface StatementDocument extends DescribedDocument {
  readonly _id: Uint8Array;
  /** The order of storing. It never changes. */
  readonly position: ObjectId;
  /** Keys of graphs, oldest membership first. Some of the graphs may still be importing. */
  readonly graphs: OneOrMore<ObjectId>;
  /** The projects of these graphs. A row that has left a graph may keep its project. */
  readonly projects: OneOrMore<string>;
  readonly jcs: Uint8Array;
  /** Who stored the row first. Missing in rows of older versions, of imports, and of the service itself. */
  readonly registrar?: string;
}

/** A graph that rows are stored under. Only its import knows the key of a graph that is being imported. */
export interface GraphOfRows {
  readonly key: ObjectId;
  readonly projectId: string;
}

export interface StatementCollections {
  readonly verified: Collection<StatementDocument>;
  readonly unverified: Collection<StatementDocument>;
}

export type Partition = keyof StatementCollections;

export function statementCollections({ db }: Database): StatementCollections {
  return { verified: db.collection('statements'), unverified: db.collection('unverified_statements') };
}

export async function countBoth(
  database: Database,
  count: (statements: Collection<StatementDocument>) => Promise<number>,
): Promise<number> {
  const { verified, unverified } = statementCollections(database);
  const [one, other] = await Promise.all([count(verified), count(unverified)]);
  return one + other;
}

const indexes: CollectionIndexes['indexes'] = [
  { name: 'storing', key: { position: -1 } },
  { name: 'kind', key: { kind: 1, position: -1 } },
  { name: 'time', key: { time: -1, position: -1 } },
  { name: 'graph', key: { graphs: 1, position: -1 } },
  { name: 'projects', key: { projects: 1, position: -1 } },
  { name: 'reference', key: { references: 1, position: -1 } },
  { name: 'id', key: { rdfc: 1, position: 1 } },
  { name: 'contents', key: { graphs: 1, rdfc: 1, position: 1 } },
];

export const statementIndexes: readonly CollectionIndexes[] = [
  { collection: 'statements', indexes },
  { collection: 'unverified_statements', indexes },
];

export function statementDocument(
  row: UnpackedRow,
  position: ObjectId,
  graph: GraphOfRows | null,
  registrar: string | null,
): StatementDocument {
  return {
    _id: row.jcsDigest,
    position,
    ...describedDocument(describedRow(row)),
    graphs: graph ? graph.key : [],
    projects: graph ? graph.projectId : [],
    jcs: row.jcs,
    ...(registrar !== null && row.isTrusted && { registrar }),
  };
}

export type DescribedRow = Pick<StatementRow, 'jcs' | 'kind' | 'contextSet' | 'time' | 'references'> &
  Pick<UnpackedRow, 'rdfcDigest'>;

export function describedRow(row: UnpackedRow): DescribedRow {
  return { ...row, references: unpackReferences(row.references, jcsText(row.jcs)) };
}

export function describedDocument(row: DescribedRow): DescribedDocument {
  const { kind, contextSet, time } = row;
  const type = associationType(row);
  return {
    rdfc: row.rdfcDigest,
    kind,
    contextSet,
    time,
    ...referenceFields(row),
    ...(type !== null && { associationType: type }),
  };
}

function referenceFields({ kind, references }: DescribedRow) {
  const roles = new Map<string, number>();
  const roleNumbers: number[] = [];
  const entries = references.map(({ role, identifier }) => {
    const place = placeNumber({ role, kind });
    if (place === otherPlaces) roleNumbers.push(roles.getOrInsert(role, roles.size));
    return referenceEntry(identifier, place);
  });
  return { references: entries, ...(roles.size > 0 && { roles: [...roles.keys()], roleNumbers }) };
}

/** The identifier, a tab and the number of the place. */
export function referenceEntry(identifier: string, place: number): string {
  return `${identifier}\t${place}`;
}

/** Some servers take no patterns of more than 1,340 bytes. Escapes may double the length. */
const longestInPattern = 600;

/** Matches the entries of an identifier with any place. An index supports patterns that start with plain text. */
export function entriesAnywhere(identifier: string): (string | RegExp)[] {
  if (identifier.length > longestInPattern)
    return allPlaces.map((place) => referenceEntry(identifier, place));
  return [new RegExp(`^${identifier.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}\t`)];
}

type StoredReferences = Pick<StatementDocument, 'references' | 'roles' | 'roleNumbers'>;

export function referencesIn({ references, roles = [], roleNumbers = [] }: StoredReferences): Reference[] {
  let others = 0;
  return references.map((entry) => {
    const tab = entry.lastIndexOf('\t');
    const place = statementPlaces[Number(entry.slice(tab + 1)) - 1];
    const role = place ? place.role : (roles[roleNumbers[others++] ?? 0] ?? '');
    return { identifier: entry.slice(0, tab), role };
  });
}

export function statementRow(document: StatementDocument, partition: Partition): StatementRow {
  const { kind, contextSet, time, jcs } = document;
  return {
    jcsCid: makeCid(codecs.jcs, document._id),
    rdfcCid: makeCid(codecs.rdfc, document.rdfc),
    jcs,
    kind,
    references: referencesIn(document),
    time,
    contextSet,
    isTrusted: partition === 'verified',
  };
}

/** Expressions that treat a single graph or project of a document like an array of one. */
export function arrayOf(field: 'graphs' | 'projects') {
  const value = `$${field}`;
  return { $cond: [{ $isArray: value }, value, [value]] };
}

/** Matches a document while it is in these graphs and no others. A plain `{ graphs }` also finds a graph among others. */
export function onlyIn(graphs: readonly ObjectId[]) {
  return { $expr: { $eq: [arrayOf('graphs'), graphs] } };
}

export function graphsWithout(keys: readonly ObjectId[]) {
  return { $filter: { input: arrayOf('graphs'), cond: { $not: [{ $in: ['$$this', keys] }] } } };
}

export function projectsWith(projects: readonly string[]) {
  return { $setUnion: [arrayOf('projects'), { $literal: projects }] };
}
