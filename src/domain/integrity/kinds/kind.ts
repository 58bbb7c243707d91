import { z } from 'zod';
import { commonShape, type Field } from './fields.ts';

/** What the IRIs of all terms and statement kinds start with (vocabulary, contexts). */
export const termsIri = 'https://eqtylab.io/terms/';

/** What an edge of a lineage says about its two ends. `docs/lineage.md` documents each. */
export interface EdgeKind {
  readonly name: string;
  /** Between the names of both ends, for legends. */
  readonly meaning: string;
}

export const registration: EdgeKind = { name: 'registration', meaning: 'registered' };
export const operation: EdgeKind = { name: 'operation', meaning: 'operated' };
export const reference: EdgeKind = { name: 'reference', meaning: 'refers to' };

/** How a lineage shows the statements of a kind. */
export interface LineageRule {
  readonly edge: EdgeKind;
  /** The edge runs from the one field to the other. Without ends the statement is a node. */
  readonly ends?: { readonly from: string; readonly to: string };
  /** Whether an edge runs from the statement, as a node, to what stands in this role. */
  readonly isOutward: (role: string) => boolean;
  /** The roles that are shown wherever the statement is a node. */
  readonly attached: readonly string[];
  /** The roles of things that the statement says something of. */
  readonly facts: readonly string[];
  /** The roles in which a thing leads on upstream or downstream. */
  readonly flow?: { readonly upstream: string; readonly downstream: string };
}

/** A statement that says one thing of another: an edge between two of its fields. */
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

interface Declaration {
  readonly label: string;
  /** The path of its symbol on 18 by 18 units, where it is a node with a symbol of its own. */
  readonly symbol?: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly lineage: LineageRule;
  /** Further terms of its context. */
  readonly words?: readonly string[];
  /** A check across fields. */
  readonly check?: (statement: Statement, context: z.RefinementCtx) => void;
  /** References that stand deeper than in its fields. */
  readonly furtherReferences?: (statement: Statement, add: (role: string, value: unknown) => void) => void;
}

export interface StatementKindDeclaration<Name extends string = string>
  extends Omit<Declaration, 'words' | 'check'> {
  readonly name: Name;
  /** What `PUT` demands of a statement in the service's own context. */
  readonly shape: z.ZodType;
  /** Its definition in the service's own context. */
  readonly term: Readonly<Record<string, unknown>>;
  /** The fields whose values are references. */
  readonly references: readonly string[];
}

export function kind<const Name extends string>(
  name: Name,
  { words = [], check, ...declaration }: Declaration,
): StatementKindDeclaration<Name> {
  const fields = Object.entries(declaration.fields);
  const shapes = Object.fromEntries(fields.map(([field, { shape }]) => [field, shape]));
  const terms = [
    ...words.map((word) => [word, {}] as const),
    ...fields.map(([field, { term }]) => [field, term] as const),
  ];
  const shape = z.object({ ...commonShape, '@type': z.literal(name), ...shapes });
  return {
    ...declaration,
    name,
    shape: check ? shape.superRefine(check) : shape,
    term: {
      '@id': termsIri + name,
      '@context': Object.fromEntries(
        terms.map(([term, more]) => [term, { '@id': termsIri + term, ...more }]),
      ),
    },
    references: fields.filter(([, { isReference }]) => isReference).map(([field]) => field),
  };
}
