import { referenceIdentifier } from '../identifiers/identifiers.ts';
import { cidUrnsIn } from '../kinds/cid-urns.ts';
import { termsIri } from '../kinds/kind.ts';
import { type StatementKind, statementKinds } from '../kinds/registry.ts';

/** That a statement refers to something: a CID, UUID or DID, and the field in which it stands. */
export interface Reference {
  /** `urn:cid:…`, `urn:uuid:…` or a DID. */
  readonly identifier: string;
  /** The field's name, as the statement kinds name it; for foreign kinds the JSON member's name. */
  readonly role: string;
}

type Statement = Readonly<Record<string, unknown>>;

/**
 * Whether the RDF of a statement says what a JSON value says, as a value of the role's own term where it has one.
 * Members that the context drops, or gives another meaning, make no references: otherwise JSON that carries a
 * genuine id could add edges to it.
 */
export type InRdf = (value: string, role?: string) => boolean;

/** The test for `referencesOf`, on a statement's N-Quads. */
export function inRdf(nquads: string): InRdf {
  return (value, role) => {
    const before = role === undefined ? ' ' : ` <${termsIri}${role}> `;
    return nquads.includes(`${before}<${value}> `) || nquads.includes(`${before}"${value}"`);
  };
}

/**
 * What a statement refers to (vocabulary, statement kinds), without duplicates, in the order of the text.
 * Values that are no well-formed identifiers are left out: real data has them.
 */
export function referencesOf(
  statement: Statement,
  kind: StatementKind | undefined,
  isInRdf: InRdf,
): Reference[] {
  const found = new Map<string, Reference>();
  const addIf = (isMeant: (item: string) => boolean, role: string, value: unknown) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== 'string') continue;
      const identifier = referenceIdentifier(item);
      if (identifier && isMeant(item)) found.set(`${role} ${identifier}`, { identifier, role });
    }
  };
  const add = (role: string, value: unknown) => addIf((item) => isInRdf(item), role, value);
  if (kind === undefined) {
    add('registeredBy', statement.registeredBy);
    for (const [role, urn] of cidUrnsIn(statement)) add(role, urn);
    return [...found.values()];
  }
  const { references, furtherReferences } = statementKinds[kind];
  for (const field of ['registeredBy', ...references])
    addIf((item) => isInRdf(item, field), field, statement[field]);
  furtherReferences?.(statement, add);
  addIf(() => true, 'payload', dssePayload(statement.credentialDsse, isInRdf));
  return [...found.values()];
}

/** The decoded payload of a DSSE envelope when it is a URN. Verifiers accept both base64 alphabets. */
function dssePayload(envelope: unknown, isInRdf: InRdf): string | undefined {
  const { payload } = (envelope ?? {}) as { payload?: unknown };
  if (typeof payload !== 'string' || payload.length > 4_096 || !isInRdf(payload, 'payload')) return undefined;
  const text = Buffer.from(payload, 'base64').toString('utf8').trim();
  return text.startsWith('urn:') ? text : undefined;
}
