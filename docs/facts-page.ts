import { writeFileSync } from 'node:fs';
import { type FactField, factTable, rootTable } from '../src/domain/integrity/policies/fact-table.ts';

export const factsFile = new URL('facts.md', import.meta.url);

type Fields = Readonly<Record<string, FactField>>;

const introduction = `# Facts

The conditions of [policies](policies.md) read these facts, each shown in a condition that uses it. \`cairn policy facts\` prints
the same, and \`cairn check SUBJECT --explain\` shows the facts about something.

- In a rule without \`for\`, the facts of the [artefact](#artefact) that is checked have names of their own: \`made_by\` is
  \`subject.made_by\`. In a rule with \`for\`, \`it\` is each thing of the list.
- A \`signer\` is a name that the policy gives under \`signers\`, or \`''\`.
- \`values\` is a JSON object. Ask \`has(it.metrics.accuracy)\` first for a member that may be missing.
- Times are compared with each other or with \`timestamp('2027-01-01T00:00:00Z')\`. The difference of two times is compared with
  \`duration('24h')\`.

\`npm run docs\` writes this page from \`src/domain/integrity/policies/fact-table.ts\`; do not edit it.
`;

/** The page that documents every fact, as Markdown. */
export function factsPage(): string {
  const kinds = Object.entries(factTable).map(([name, fields]) => section(name, whereFound(name), fields));
  return [introduction, section('everywhere', 'All conditions can name these.', rootTable), ...kinds].join(
    '\n',
  );
}

function section(name: string, about: string, fields: Fields): string {
  const rows = Object.entries(fields).map(([field, { type, says, oneOf, example }]) => {
    const values = oneOf === undefined ? '' : ` One of ${oneOf.map(code).join(', ')}.`;
    return [code(field), typeText(type), `${says}${values}`, code(example)];
  });
  const lines = [['fact', 'type', 'meaning', 'example'], ['---', '---', '---', '---'], ...rows];
  return `## ${name}\n\n${about}\n\n${lines.map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`).join('')}`;
}

/** The facts whose values are of this kind. */
function whereFound(kind: string): string {
  const tables: [string, Fields][] = [['', rootTable], ...Object.entries(factTable)];
  const found = tables.flatMap(([of, fields]) =>
    Object.entries(fields)
      .filter(([, { type }]) => type === kind || type === `list(${kind})`)
      .map(([field]) => code(of === '' ? field : `${of}.${field}`)),
  );
  return `Found in ${found.join(', ')}.`;
}

/** With a link to the facts of a kind. */
function typeText(type: string): string {
  const kind = /^(?:list\()?(\w+)/.exec(type)?.[1] ?? type;
  return Object.hasOwn(factTable, kind) ? `[${code(type)}](#${kind})` : code(type);
}

/** A cell of a table. A bar would end it. */
function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) writeFileSync(factsFile, factsPage());
