import { registration, type StatementKindDeclaration } from './kind.ts';
import { edgeMeanings, statementKinds } from './registry.ts';

const kinds = Object.values(statementKinds);

export const shownKinds = {
  kinds: Object.fromEntries(kinds.map(({ name, label, symbol }) => [name, { label, symbol }])),
  edges: edgeMeanings,
  roles: Object.fromEntries([
    ['registeredBy', { word: registration.meaning, document: undefined }] as const,
    ...kinds.flatMap(shownRoles),
  ]),
};

export type ShownKinds = typeof shownKinds;

/** The labels of edges by role, and the end of the edge where the document is. */
function shownRoles({ fields, lineage }: StatementKindDeclaration) {
  return Object.entries(fields)
    .filter(([, { word, document }]) => word !== undefined || document !== undefined)
    .map(([role, { word, document: title }]) => {
      const end = lineage.isOutward(role) ? ('to' as const) : ('from' as const);
      return [role, { word, document: title === undefined ? undefined : { end, title } }] as const;
    });
}
