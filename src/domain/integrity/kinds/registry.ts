import { z } from 'zod';
import { association } from './association.ts';
import { computation } from './computation.ts';
import { credential } from './credential.ts';
import { data } from './data.ts';
import { didKind } from './did.ts';
import { entity } from './entity.ts';
import { commonShape } from './fields.ts';
import { governance } from './governance.ts';
import { containment, operation, reference, registration, type StatementKindDeclaration } from './kind.ts';
import { metadata } from './metadata.ts';
import { retraction } from './retraction.ts';
import { storage } from './storage.ts';

const declarations = [
  association,
  storage,
  metadata,
  computation,
  credential,
  didKind,
  data,
  entity,
  governance,
  retraction,
] as const;

export type StatementKind = (typeof declarations)[number]['name'];

/**
 * The statement kinds of the vocabulary. A new kind needs one file, a line above, and numbers for its references in
 * `statements/places.ts`.
 */
export const statementKinds = Object.fromEntries(
  declarations.map((kind) => [kind.name, kind]),
) as unknown as Readonly<Record<StatementKind, StatementKindDeclaration>>;

export const statementKindNames = Object.keys(statementKinds) as [StatementKind, ...StatementKind[]];

export function isStatementKind(type: unknown): type is StatementKind {
  return typeof type === 'string' && Object.hasOwn(statementKinds, type);
}

export function kindNamed(name: string): StatementKindDeclaration | undefined {
  return isStatementKind(name) ? statementKinds[name] : undefined;
}

/** The shape of statements of foreign kinds in the own context. */
export const anyStatement = z.object({
  ...commonShape,
  '@type': z.union([z.string(), z.array(z.string()).min(1)], { error: 'must name a kind of statement' }),
});

export const edgeMeanings: Readonly<Record<string, string>> = Object.fromEntries(
  [...declarations.map(({ lineage }) => lineage.edge), registration, operation, reference, containment].map(
    ({ name, meaning }) => [name, meaning],
  ),
);
