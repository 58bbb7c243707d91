import type { StatementDocument } from '../statements/statement-documents.ts';
import { saidDocument, statementRow } from '../statements/statement-documents.ts';

const digestBytes = 32;

/** What a document lacks to be the row of a statement, as the end of a sentence; undefined when it is one. */
export function contentProblem(document: Partial<StatementDocument>): string | undefined {
  const { jcs, contextSet, isTrusted } = document;
  if (!isBytes(jcs)) return 'has no JCS bytes';
  if (typeof contextSet !== 'string') return 'names no context set';
  if (typeof isTrusted !== 'boolean') return 'does not say whether it is trusted';
  return undefined;
}

/** The document with something in place of what is derived from its JCS bytes and missing. */
export function withDerived(document: StatementDocument): StatementDocument {
  const { rdfc, kind, references, time, hashedRoles } = document as Partial<StatementDocument>;
  return {
    ...document,
    rdfc: isDigest(rdfc) ? rdfc : new Uint8Array(digestBytes),
    kind: typeof kind === 'string' ? kind : '',
    references: isTexts(references) ? references : [],
    time: typeof time === 'number' ? time : null,
    hashedRoles: isTexts(hashedRoles) ? hashedRoles : [],
  };
}

/** Whether everything that is derived from the JCS bytes stands as it is written for what the row says. */
export function isDerivedRight(document: StatementDocument): boolean {
  const { rdfc, kind, references, time, hashedRoles = [], associationType } = document;
  if (!isDigest(rdfc) || typeof kind !== 'string' || !isTexts(references) || !isTexts(hashedRoles))
    return false;
  if (time !== null && typeof time !== 'number') return false;
  try {
    const right = saidDocument(statementRow(document));
    return (
      JSON.stringify(right.references) === JSON.stringify(references) &&
      (right.hashedRoles ?? []).every((role) => hashedRoles.includes(role)) &&
      (kind !== 'AssociationRegistration' || right.associationType === associationType)
    );
  } catch (error) {
    // Bytes that are no JSON are told as such.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
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
