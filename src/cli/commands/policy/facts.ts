import { closest } from 'fastest-levenshtein';
import {
  type FactField,
  type FactName,
  factTable,
  rootTable,
} from '../../../domain/integrity/policies/fact-table.ts';
import { failUsage } from '../../terminal/failure.ts';

type Fields = Readonly<Record<string, FactField>>;

/** What all conditions can name. */
const everywhere = 'everywhere';
const tables: Readonly<Record<string, Fields>> = { [everywhere]: rootTable, ...factTable };

/** All facts, or those of one kind. @throws Failure (usage) for a name that no kind has. */
export function factTables(name: string | undefined): Readonly<Record<string, Fields>> {
  if (name === undefined) return tables;
  const table = Object.hasOwn(tables, name) ? tables[name as FactName] : undefined;
  const names = Object.keys(tables);
  return table
    ? { [name]: table }
    : failUsage(
        `There are no facts of "${name}". Do you mean ${closest(name, names)}? There are ${names.join(', ')}.`,
      );
}

/** A table of facts for people, with an example each. */
export function factsText(all: Readonly<Record<string, Fields>>): string {
  return Object.entries(all)
    .map(([name, fields]) => `${name}\n${Object.entries(fields).map(fieldText).join('')}`)
    .join('\n');
}

function fieldText([name, { type, says, example, oneOf }]: [string, FactField]): string {
  const values = oneOf === undefined ? '' : ` One of ${oneOf.join(', ')}.`;
  return `  ${name} (${type})\n      ${says}${values}\n      ${example}\n`;
}
