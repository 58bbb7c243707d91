import { z } from 'zod';
import { commonShape, type Field, type Writing } from './fields.ts';
import type { StatementKindDeclaration } from './kind.ts';
import { type StatementKind, statementKinds } from './registry.ts';

/** A member of a statement, for people who write one. */
export interface Member extends Writing {
  readonly name: string;
  readonly meaning: string;
  readonly isRequired: boolean;
}

/** One way to write statements of a kind. Only credentials have several. */
export interface StatementForm {
  readonly kind: StatementKind;
  readonly meaning: string;
  /** Without the members that all statements have. */
  readonly members: readonly Member[];
}

export const statementForms: readonly StatementForm[] = Object.values(statementKinds).flatMap(formsOf);

/** The members that all statements have. */
export const commonMembers: readonly Member[] = [
  { name: '@context', form: 'a URL, or a list', meaning: 'the context that gives members their meaning' },
  { name: '@type', form: 'the name of the kind', meaning: 'what kind of statement it is' },
  { name: 'registeredBy', ...writingOf(commonShape.registeredBy), meaning: 'who says it: the registrant' },
  { name: 'timestamp', ...writingOf(commonShape.timestamp), meaning: 'when it was said' },
].map((member) => ({ ...member, isRequired: true }));

function formsOf({ name, meaning, fields, forms }: StatementKindDeclaration): StatementForm[] {
  const kind = name as StatementKind;
  const members = Object.entries(fields).map(([field, declared]) => memberOf(field, declared));
  if (!forms) return [{ kind, meaning, members }];
  return forms.map((form) => ({
    kind,
    meaning: form.meaning,
    members: members
      .filter(({ name: field }) => form.fields.includes(field))
      .map((member) => ({ ...member, isRequired: true })),
  }));
}

function memberOf(name: string, { shape, meaning }: Field): Member {
  const isOptional = shape instanceof z.ZodOptional;
  return { name, meaning, isRequired: !isOptional, ...writingOf(isOptional ? shape.unwrap() : shape) };
}

function writingOf(shape: z.core.$ZodType): Writing {
  const writing = z.globalRegistry.get(shape) as Writing | undefined;
  return writing ?? { form: 'text' };
}
