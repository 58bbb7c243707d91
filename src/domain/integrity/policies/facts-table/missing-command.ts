import { factTable, rootTable } from '../fact-table.ts';
import { fieldsOf } from '../facts.ts';
import type { RuleVerdict } from '../verdict.ts';
import type { Doubt } from '../watching/doubts.ts';
import type { FactShape } from './shared-fields.ts';

const all: readonly Readonly<Record<string, FactShape>>[] = [rootTable, ...Object.values(factTable)];

/** The commands that would add what a rule lacks, without those that no command adds. The outermost facts come first. */
export function commandsThatAdd({ missing, doubts }: Pick<RuleVerdict, 'missing' | 'doubts'>): string[] {
  const lacking: readonly Lacking[] = [
    ...missing.toReversed(),
    ...doubts.filter(({ code }) => code !== 'cut'),
  ];
  return [...new Set(lacking.flatMap((one) => commandThatAdds(one) ?? []))];
}

type Lacking = Pick<Doubt, 'fact' | 'kind' | 'of'>;

function commandThatAdds({ fact = '', kind, of = '' }: Lacking): string | undefined {
  const fields = kind === undefined ? undefined : fieldsOf(kind);
  const tables = fields ? [fields] : all;
  // A member of a JSON object comes with the whole.
  const [name = ''] = fact.split('.');
  const command = tables.find((one) => Object.hasOwn(one, name))?.[name]?.command;
  // Others would need other quotes in each command.
  return isPlain(of) ? command?.replaceAll(/\bID\b/g, () => of) : command;
}

function isPlain(text: string): boolean {
  return /^[\w.:%@][\w.:%@-]*$/.test(text);
}
