import { ObjectId } from 'mongodb';
import {
  describedDocument,
  type StatementDocument,
  statementRow,
} from '../statements/statement-documents.ts';

const digestBytes = 32;

/** What keeps a document from being the row of a statement, as the end of a sentence; undefined when it is one. */
export function contentProblem(document: Partial<StatementDocument>): string | undefined {
  const { jcs, contextSet, position, graphs } = document;
  if (!isBytes(jcs)) return 'has no JCS bytes';
  if (typeof contextSet !== 'string') return 'names no context set';
  if (!(position instanceof ObjectId)) return 'has no position in the order of storing';
  if (!Array.isArray(graphs)) return 'has no list of graphs';
  return undefined;
}

/** The document with a value for every field that follows from its JCS bytes and is missing or damaged. */
export function withDerived(document: StatementDocument): StatementDocument {
  const { rdfc, kind, references, time, roles, roleNumbers } = document as Partial<StatementDocument>;
  return {
    ...document,
    rdfc: isDigest(rdfc) ? rdfc : new Uint8Array(digestBytes),
    kind: typeof kind === 'string' ? kind : '',
    references: isTexts(references) ? references : [],
    roles: isTexts(roles) ? roles : [],
    roleNumbers: Array.isArray(roleNumbers) ? roleNumbers : [],
    time: typeof time === 'number' ? time : null,
  };
}

/** Whether every field that follows from the JCS bytes is as this store writes it for the row. */
export function isDerivedRight(document: StatementDocument): boolean {
  const { rdfc, kind, references, time, roles = [], roleNumbers = [], associationType } = document;
  if (!isDigest(rdfc) || typeof kind !== 'string' || !isTexts(references) || !isTexts(roles)) return false;
  if (!Array.isArray(roleNumbers) || (time !== null && typeof time !== 'number')) return false;
  try {
    const right = describedDocument(statementRow(document, true));
    const wanted = [right.references, right.roles ?? [], right.roleNumbers ?? [], right.associationType];
    return JSON.stringify(wanted) === JSON.stringify([references, roles, roleNumbers, associationType]);
  } catch (error) {
    // Bytes that are not JSON are reported as such.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

export function keysIn(graphs: unknown): ObjectId[] {
  return Array.isArray(graphs) ? graphs.filter((key) => key instanceof ObjectId) : [];
}

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

export function isDigest(value: unknown): value is Uint8Array {
  return isBytes(value) && value.length === digestBytes;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
