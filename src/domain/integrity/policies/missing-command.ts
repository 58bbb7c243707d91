import { factTable, rootTable } from './fact-table.ts';
import type { Facts } from './facts.ts';
import type { FactShape } from './facts-table/shared-fields.ts';
import type { Doubt } from './watch.ts';

/** The command that would add a fact that is missing or unknown. Undefined if none would. */
export function commandThatAdds(
  { fact = '', of = '' }: Pick<Doubt, 'fact' | 'of'>,
  { subject, things }: Pick<Facts, 'subject' | 'things'>,
): string | undefined {
  const tables: (Readonly<Record<string, FactShape>> | false)[] = [
    Object.hasOwn(things.artefacts, of) && factTable.artefact,
    Object.hasOwn(things.computations, of) && factTable.computation,
    Object.hasOwn(things.agents, of) && factTable.agent,
    of === subject && rootTable,
  ];
  const table = tables.find((one) => one !== false && Object.hasOwn(one, fact));
  const command = table ? table[fact]?.command : undefined;
  return command?.replaceAll('ID', shellWord(of));
}

function shellWord(text: string): string {
  return /^[\w.:%@-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
