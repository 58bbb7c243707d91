import { registration, type StatementKindDeclaration } from './kind.ts';
import { edgeMeanings, statementKinds } from './registry.ts';

const kinds = Object.values(statementKinds);

/** What pages need to know of kinds. It becomes JSON. */
export const shownKinds = {
  kinds: Object.fromEntries(kinds.map(({ name, label, symbol }) => [name, { label, symbol }])),
  /** What each kind of edge means. */
  edges: edgeMeanings,
  roles: Object.fromEntries([
    ['registeredBy', { word: registration.meaning, document: undefined }] as const,
    ...kinds.flatMap(shownRoles),
  ]),
};

export type ShownKinds = typeof shownKinds;

/** What drawings write on an edge instead of its role, and at which of its ends there is a document. */
function shownRoles({ fields, lineage }: StatementKindDeclaration) {
  return Object.entries(fields)
    .filter(([, { word, document }]) => word !== undefined || document !== undefined)
    .map(([role, { word, document: title }]) => {
      const end = lineage.isOutward(role) ? ('to' as const) : ('from' as const);
      return [role, { word, document: title === undefined ? undefined : { end, title } }] as const;
    });
}
