import { registration, type StatementKindDeclaration } from './kind.ts';
import { edgeMeanings, statementKinds } from './registry.ts';

const kinds = Object.values(statementKinds);

/** How pages show the statements of each kind. */
export const shownKinds = {
  kinds: Object.fromEntries(kinds.map((kind) => [kind.name, shownKind(kind)])),
  edges: edgeMeanings,
  roles: Object.fromEntries([
    ['registeredBy', { word: registration.meaning, document: undefined }] as const,
    ...kinds.flatMap(shownRoles),
  ]),
};

function shownKind({ label, symbol, reads, called, verbs = {}, fields, lineage }: StatementKindDeclaration) {
  const { edge, ends } = lineage;
  const related = (verb: string) => `{${ends?.from}} ${verb} {${ends?.to}}`;
  return {
    label,
    symbol,
    reads: reads ?? related(edge.meaning),
    called,
    readsByType: Object.fromEntries(Object.entries(verbs).map(([type, verb]) => [type, related(verb)])),
    members: Object.fromEntries(
      Object.entries(fields).map(([name, { meaning, document }]) => [name, { meaning, document }]),
    ),
  };
}

/** The labels of edges by role, and the end of the edge where the document is. */
function shownRoles({ fields, lineage }: StatementKindDeclaration) {
  return Object.entries(fields)
    .filter(([, { word, document }]) => word !== undefined || document !== undefined)
    .map(([role, { word, document: title }]) => {
      const end = lineage.isOutward(role) ? ('to' as const) : ('from' as const);
      return [role, { word, document: title === undefined ? undefined : { end, title } }] as const;
    });
}
