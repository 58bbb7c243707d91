import type { Collection } from 'mongodb';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { hashedRoles, referenceEntry, referencesIn } from '../references/reference-entries.ts';

/** What a form of a statement says, as far as a trusted row may replace it. Digests are BLAKE3-256. */
export interface SaidDocument {
  /** Digest of the `rdfc_cid`. */
  readonly rdfc: Uint8Array;
  readonly kind: string;
  readonly contextSet: string;
  readonly isTrusted: boolean;
  /** See `reference-entries.ts`. */
  readonly references: readonly string[];
  /** Fields whose names stand as their hashes in entries; perhaps others besides. */
  readonly hashedRoles?: readonly string[];
  /** `type` of an association, unless it is long. Without a meaning for other kinds. */
  readonly associationType?: string;
}

export interface StatementDocument extends SaidDocument {
  /** Digest of the `jcs_cid`. */
  readonly _id: Uint8Array;
  /** The order in which statements were stored; it never changes. See `positions.ts`. */
  readonly position: Uint8Array;
  /** One of about a thousand has it, by chance: it divides every list into stretches. */
  readonly milestone?: true;
  readonly time: number | null;
  /** Numbers of graphs, in the order in which the statement joined them; of those that are being imported too. */
  readonly graphs: readonly number[];
  /** Ids of the projects that it has come to: of those of its graphs, and it may be of more. */
  readonly projects: readonly string[];
  readonly jcs: Uint8Array;
}

/** A graph under which statements are stored. Of one that is being imported nobody else knows the number yet. */
export interface Membership {
  readonly number: number;
  readonly projectId: string;
}

export function statementCollection(database: Database): Collection<StatementDocument> {
  return database.collection<StatementDocument>('statements');
}

const typeLength = 100;
const milestoneShare = 1 / 1_024;

export function statementDocument(
  row: StatementRow,
  position: Uint8Array,
  membership: Membership | null,
): StatementDocument {
  return {
    _id: row.jcsCid.digest,
    position,
    ...saidDocument(row),
    ...(Math.random() < milestoneShare && { milestone: true }),
    time: row.time,
    graphs: membership ? [membership.number] : [],
    projects: membership ? [membership.projectId] : [],
    jcs: row.jcs,
  };
}

export function saidDocument(row: StatementRow): SaidDocument {
  const { kind, contextSet, isTrusted, references } = row;
  const roles = hashedRoles(references);
  const associationType = associationTypeOf(row);
  return {
    rdfc: row.rdfcCid.digest,
    kind,
    contextSet,
    isTrusted,
    references: references.map((reference) => referenceEntry(reference, kind, isTrusted)),
    ...(roles.length > 0 && { hashedRoles: roles }),
    ...(associationType !== undefined && { associationType }),
  };
}

function associationTypeOf({ kind, jcs }: StatementRow): string | undefined {
  if (kind !== 'AssociationRegistration') return undefined;
  const { type } = JSON.parse(new TextDecoder().decode(jcs));
  return typeof type === 'string' && type.length <= typeLength ? type : undefined;
}

export function statementRow(document: StatementDocument): StatementRow {
  const { kind, contextSet, isTrusted, time, jcs } = document;
  return {
    jcsCid: makeCid(codecs.jcs, document._id),
    rdfcCid: makeCid(codecs.rdfc, document.rdfc),
    jcs,
    kind,
    references: referencesIn(document.references, document, document.hashedRoles),
    time,
    contextSet,
    isTrusted,
  };
}
