import type { Collection, ObjectId } from 'mongodb';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { otherPlaces, placeNumber, statementPlaces } from '../../../domain/integrity/statements/places.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** What a document says beside its JCS bytes, its graphs and its position. Digests are BLAKE3-256. */
export interface DescribedDocument {
  /** Digest of the `rdfc_cid`. */
  readonly rdfc: Uint8Array;
  readonly kind: string;
  readonly contextSet: string;
  readonly time: number | null;
  /** `<identifier>\t<place number>` */
  readonly references: readonly string[];
  /** The roles of the references with place 0, each once, and for each such reference the number of its role. */
  readonly roles?: readonly string[];
  readonly roleNumbers?: readonly number[];
  /** `type` of an association, unless it is too long. */
  readonly associationType?: string;
}

export interface StatementDocument extends DescribedDocument {
  /** Digest of the `jcs_cid`. */
  readonly _id: Uint8Array;
  /** The order of storing. It never changes. */
  readonly position: ObjectId;
  /** Keys of graphs, oldest membership first. Some of the graphs may still be importing. */
  readonly graphs: readonly ObjectId[];
  /** The projects of all these graphs. A row that has left a graph may keep its project. */
  readonly projects: readonly string[];
  readonly jcs: Uint8Array;
}

/** A graph that rows are stored under. Nobody else knows the key of a graph that is being imported. */
export interface GraphOfRows {
  readonly key: ObjectId;
  readonly projectId: string;
}

export interface StatementCollections {
  readonly verified: Collection<StatementDocument>;
  readonly unverified: Collection<StatementDocument>;
}

export function statementCollections({ db }: Database): StatementCollections {
  return { verified: db.collection('statements'), unverified: db.collection('unverified_statements') };
}

/** The sum of a number of verified and of unverified statements. */
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

const typeLength = 100;

export function statementDocument(
  row: StatementRow,
  position: ObjectId,
  graph: GraphOfRows | null,
): StatementDocument {
  return {
    _id: row.jcsCid.digest,
    position,
    ...describedDocument(row),
    graphs: graph ? [graph.key] : [],
    projects: graph ? [graph.projectId] : [],
    jcs: row.jcs,
  };
}

export function describedDocument(row: StatementRow): DescribedDocument {
  const { kind, contextSet, time } = row;
  const associationType = associationTypeOf(row);
  return {
    rdfc: row.rdfcCid.digest,
    kind,
    contextSet,
    time,
    ...referenceFields(row),
    ...(associationType !== undefined && { associationType }),
  };
}

function referenceFields({
  kind,
  references,
}: StatementRow): Pick<DescribedDocument, 'references' | 'roles' | 'roleNumbers'> {
  const roles = new Map<string, number>();
  const roleNumbers: number[] = [];
  const entries = references.map(({ identifier, role }) => {
    const place = placeNumber({ role, kind });
    if (place === otherPlaces) roleNumbers.push(roles.getOrInsert(role, roles.size));
    return referenceEntry(identifier, place);
  });
  return { references: entries, ...(roles.size > 0 && { roles: [...roles.keys()], roleNumbers }) };
}

export function referenceEntry(identifier: string, place: number): string {
  return `${identifier}\t${place}`;
}

export function referencesIn({
  references,
  roles = [],
  roleNumbers = [],
}: Pick<StatementDocument, 'references' | 'roles' | 'roleNumbers'>): Reference[] {
  let others = 0;
  return references.map((entry) => {
    const tab = entry.lastIndexOf('\t');
    const place = statementPlaces[Number(entry.slice(tab + 1)) - 1];
    const role = place ? place.role : (roles[roleNumbers[others++] ?? 0] ?? '');
    return { identifier: entry.slice(0, tab), role };
  });
}

function associationTypeOf({ kind, jcs }: StatementRow): string | undefined {
  if (kind !== 'AssociationRegistration') return undefined;
  const { type } = JSON.parse(new TextDecoder().decode(jcs));
  return typeof type === 'string' && type.length <= typeLength ? type : undefined;
}

export function statementRow(document: StatementDocument, isTrusted: boolean): StatementRow {
  const { kind, contextSet, time, jcs } = document;
  return {
    jcsCid: makeCid(codecs.jcs, document._id),
    rdfcCid: makeCid(codecs.rdfc, document.rdfc),
    jcs,
    kind,
    references: referencesIn(document),
    time,
    contextSet,
    isTrusted,
  };
}

/** Whether a CID can be one of a statement's two, whose codecs and hash function are fixed. */
export function isStatementCid(cid: Cid, codec: (typeof codecs)['jcs' | 'rdfc']): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}
