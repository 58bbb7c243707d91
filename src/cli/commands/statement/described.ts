import { type Member, type StatementForm, statementForms } from '../../../domain/integrity/kinds/members.ts';
import { table } from '../../terminal/table.ts';

/** The kinds with their meanings, as a table. */
export function kindList(): string {
  return table(statementForms.map(({ kind, meaning }) => [kind, meaning]));
}

/** The members of a kind, as a table for each of its forms. */
export function memberLists(forms: readonly StatementForm[]): string {
  return forms.map(({ meaning, members }) => `${meaning}\n${memberList(members)}`).join('\n');
}

export function memberList(members: readonly Member[]): string {
  return table(members.map(memberRow));
}

function memberRow({ name, isMany, isRequired, meaning, form }: Member): string[] {
  const notes = [isMany && 'one or many', !isRequired && 'optional'].filter(Boolean);
  return [`  ${name}`, `${meaning}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`, form];
}
