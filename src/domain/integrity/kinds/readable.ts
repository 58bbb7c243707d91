import type { StatementKindDeclaration } from './kind.ts';
import { statementKinds } from './registry.ts';

/** How pages put the statements of each kind into words. */
export const readableKinds = Object.fromEntries(
  Object.values(statementKinds).map((kind) => [kind.name, readable(kind)]),
);

export type ReadableKinds = typeof readableKinds;

function readable({ label, symbol, fields, lineage }: StatementKindDeclaration) {
  const { edge, ends } = lineage;
  return {
    label,
    symbol,
    /** Between the fields at both ends: "subject is described by metadata". */
    verb: edge.meaning,
    ends,
    members: Object.fromEntries(
      Object.entries(fields).map(([name, { meaning, document }]) => [name, { meaning, document }]),
    ),
  };
}
