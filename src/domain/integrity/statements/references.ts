import { referenceIdentifier } from '../identifiers/identifiers.ts';
import { cidUrnsIn, termsIri } from '../kinds/kind.ts';
import { type StatementKind, statementKinds } from '../kinds/registry.ts';

/** A reference of a statement to a CID, UUID or DID. */
export interface Reference {
  /** `urn:cid:…`, `urn:uuid:…` or a DID. */
  readonly identifier: string;
  /** The name of the field; for foreign kinds the name of the JSON member. */
  readonly role: string;
}

type Statement = Readonly<Record<string, unknown>>;

/**
 * Whether the RDF of a statement contains a JSON value, for a given role as a value of its term. Members that the
 * context drops or redefines are not references, because they could add edges to a statement without changing its id.
 */
export type InRdf = (value: string, role?: string) => boolean;

/** Tests against the N-Quads of a statement. */
export function inRdf(nquads: string): InRdf {
  return (value, role) => {
    const before = role === undefined ? ' ' : ` <${termsIri}${role}> `;
    return nquads.includes(`${before}<${value}> `) || nquads.includes(`${before}"${value}"`);
  };
}

/**
 * The distinct references of a statement (vocabulary, statement kinds), in the order of the text. Malformed
 * identifiers are skipped, because real data contains them.
 * @param carried fields that are known to be in the RDF.
 */
export function referencesOf(
  statement: Statement,
  kind: StatementKind | undefined,
  isInRdf: InRdf,
  carried: readonly string[] = [],
): Reference[] {
  const found: Reference[] = [];
  const known = new Map<string, Set<string>>();
  const addIf = (isMeant: (item: string) => boolean, role: string, value: unknown) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== 'string') continue;
      const identifier = referenceIdentifier(item);
      if (!identifier || !isMeant(item)) continue;
      const ofRole = known.getOrInsertComputed(role, () => new Set());
      if (ofRole.has(identifier)) continue;
      ofRole.add(identifier);
      found.push({ identifier, role });
    }
  };
  const add = (role: string, value: unknown) => addIf((item) => isInRdf(item), role, value);
  if (kind === undefined) {
    add('registeredBy', statement.registeredBy);
    for (const [role, urn] of cidUrnsIn(statement)) add(role, urn);
    return found;
  }
  const { references, furtherReferences } = statementKinds[kind];
  for (const field of ['registeredBy', ...references])
    addIf((item) => carried.includes(field) || isInRdf(item, field), field, statement[field]);
  furtherReferences?.(statement, add);
  addIf(() => true, 'payload', dssePayload(statement.credentialDsse, isInRdf));
  return found;
}

/** The payload of a DSSE envelope if it is a URN. Verifiers accept both base64 alphabets. */
function dssePayload(envelope: unknown, isInRdf: InRdf): string | undefined {
  const { payload } = (envelope ?? {}) as { payload?: unknown };
  if (typeof payload !== 'string' || payload.length > 4_096 || !isInRdf(payload, 'payload')) return undefined;
  const text = Buffer.from(payload, 'base64').toString('utf8').trim();
  return text.startsWith('urn:') ? text : undefined;
}
