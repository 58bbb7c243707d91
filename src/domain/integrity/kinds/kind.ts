import { z } from 'zod';
import { commonShape, type Field } from './fields.ts';

/** The start of the IRIs of all terms and statement kinds (vocabulary, contexts). */
export const termsIri = 'https://eqtylab.io/terms/';

/** What an edge of a lineage means. `docs/lineage.md` documents each kind. */
export interface EdgeKind {
  readonly name: string;
  /** The words between the names of both ends, for legends. */
  readonly meaning: string;
}

export const registration: EdgeKind = { name: 'registration', meaning: 'registered' };
export const operation: EdgeKind = { name: 'operation', meaning: 'operated' };
export const reference: EdgeKind = { name: 'reference', meaning: 'refers to' };
/** Between a folder and a file in it. It follows from the bytes of the folder. */
export const containment: EdgeKind = { name: 'containment', meaning: 'contains' };

/** How a lineage shows the statements of a kind. */
export interface LineageRule {
  readonly edge: EdgeKind;
  /** The fields at the ends of the edge. Without ends the statement is a node. */
  readonly ends?: { readonly from: string; readonly to: string };
  /** Whether the edge between the statement, as a node, and a field in this role points to the field. */
  readonly isOutward: (role: string) => boolean;
  /** The roles that are shown wherever the statement is a node. */
  readonly attached: readonly string[];
  /** The roles of things that the statement is about. */
  readonly facts: readonly string[];
  /** The roles of things that a flow continues with. */
  readonly flow?: { readonly upstream: string; readonly downstream: string };
}

/** The rule for a statement that relates two of its fields. */
export function between(edge: EdgeKind, from: string, to: string): LineageRule {
  return {
    edge,
    ends: { from, to },
    isOutward: (role) => role !== 'operatedBy',
    attached: ['registeredBy'],
    facts: [from, to].filter((role) => role !== 'registeredBy'),
  };
}

type Statement = Readonly<Record<string, unknown>>;

/** One of several ways to write statements of a kind. */
interface KindForm {
  readonly meaning: string;
  /** The fields that it needs. Other fields of the kind belong to other forms. */
  readonly fields: readonly string[];
}

interface Declaration {
  readonly label: string;
  /** What such a statement says, for people. */
  readonly meaning: string;
  readonly forms?: readonly KindForm[];
  readonly symbol?: string;
  /**
   * A statement as a sentence, with the names of its references in braces. Default: its edge with the verb between both ends.
   * Pages and reports fill in `doer`, `issuer`, `signature` and `vouching`, which no member has.
   */
  readonly reads?: string;
  /** What another sentence calls a statement without a name. Default: its own sentence in quotes. */
  readonly called?: string;
  /** The verb for statements with a `type`, instead of that of the edge. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** The sentence in a report, which names the registrant elsewhere. `a|b` are the references in either role. */
  readonly says: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly lineage: LineageRule;
  readonly check?: (statement: Statement, context: z.RefinementCtx) => void;
  /** References that are nested in fields. */
  readonly furtherReferences?: (statement: Statement, add: (role: string, value: unknown) => void) => void;
}

export interface StatementKindDeclaration<Name extends string = string> extends Omit<Declaration, 'check'> {
  readonly name: Name;
  /** The shape that `PUT` requires of statements in the service's own context. */
  readonly shape: z.ZodType;
  readonly references: readonly string[];
}

export function kind<const Name extends string>(
  name: Name,
  { check, ...declaration }: Declaration,
): StatementKindDeclaration<Name> {
  const fields = Object.entries(declaration.fields);
  const shapes = Object.fromEntries(fields.map(([field, { shape }]) => [field, shape]));
  const shape = z.object({ ...commonShape, '@type': z.literal(name), ...shapes });
  return {
    ...declaration,
    name,
    shape: check ? shape.superRefine(check) : shape,
    references: fields.filter(([, { isReference }]) => isReference).map(([field]) => field),
  };
}

/** Every `urn:cid:` value in JSON, with the name of its member. Skips contexts and the id of the document. */
export function* cidUrnsIn(value: unknown, role = ''): Generator<readonly [role: string, urn: string]> {
  if (typeof value === 'string') {
    if (value.startsWith('urn:cid:')) yield [role, value];
  } else if (Array.isArray(value)) {
    for (const item of value) yield* cidUrnsIn(item, role);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const isOwnId = key === '@id' && role === '';
      if (key !== '@context' && !isOwnId) yield* cidUrnsIn(member, key);
    }
  }
}
