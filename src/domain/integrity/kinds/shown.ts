import { registration, type StatementKindDeclaration } from './kind.ts';
import { edgeMeanings, statementKinds } from './registry.ts';

interface ShownRole {
  /** What drawings write on an edge instead of its role. */
  readonly word?: string | undefined;
  /** A document in this role: the end of the edge at which it is, and its title without a name. */
  readonly document?: { readonly end: 'from' | 'to'; readonly title: string };
}

/** What pages need to know of kinds. It becomes JSON. */
export interface ShownKinds {
  readonly kinds: Readonly<Record<string, { readonly label: string; readonly symbol?: string | undefined }>>;
  /** What each kind of edge means. */
  readonly edges: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, ShownRole>>;
}

const kinds = Object.values(statementKinds);

export const shownKinds: ShownKinds = {
  kinds: Object.fromEntries(kinds.map(({ name, label, symbol }) => [name, { label, symbol }])),
  edges: edgeMeanings,
  roles: Object.fromEntries([
    ['registeredBy', { word: registration.meaning }] as const,
    ...kinds.flatMap(shownRoles),
  ]),
};

function shownRoles({ fields, lineage }: StatementKindDeclaration): [string, ShownRole][] {
  return Object.entries(fields)
    .filter(([, { word, document }]) => word !== undefined || document !== undefined)
    .map(([role, { word, document: title }]) => {
      const end = lineage.isOutward(role) ? 'to' : 'from';
      return [role, { word, ...(title !== undefined && { document: { end, title } }) }];
    });
}
