import { writeFileSync } from 'node:fs';
import { clientSettingTable } from '../src/cli/client/client-settings.ts';
import { type Setting, writtenFlag } from '../src/platform/settings/setting.ts';
import { settingSections } from '../src/platform/settings/setting-table.ts';

export const settingsFile = new URL('settings.md', import.meta.url);

const introduction = `# Settings

Set a variable in the environment. Settings with a flag can also be given to \`cairn serve\` and \`cairn config\`; the flag
wins over the variable. \`cairn config\` prints the settings in effect and masks secrets.

The service checks all settings before it listens. It reports all problems together and exits with code 2. It warns about
variables that look like settings but are not, and about settings that have no effect in the chosen mode.

\`npm run docs\` writes this page from \`src/platform/settings/\`; do not edit it.
`;

/** What a section says before its table. */
const introductions: Readonly<Record<string, string>> = {
  'Control plane': `
The control plane keeps the names that its deployments know. Its flags are read as Go programs read them, with one dash or
two: \`-auth-enabled\`, \`-auth-enabled=false\`, \`-auth-session-max-age 6h\`.

An empty control-plane variable counts as unset, because charts write unset values that way. An empty flag overrides its
variable. Other variables must not be empty: a lost secret must not start an empty store.

Enabling a sign-in method without \`-auth-enabled\` is an error, because nobody would be asked to sign in. Write
\`-auth-enabled=false\` if that is what you want.
`,
};

/** The page that documents every setting, as Markdown. */
export function settingsPage(): string {
  return [
    introduction,
    ...Object.entries(settingSections).map(([title, settings]) => section(title, settings)),
    clientSection(),
  ].join('\n');
}

function section(title: string, settings: Record<string, Setting<unknown>>): string {
  const rows = Object.values(settings).map((setting) => [
    code(setting.variable),
    setting.flag === undefined ? '' : code(writtenFlag(setting)),
    setting.kind.description ?? '',
    setting.default === null ? '' : code(setting.default),
    meaning(setting),
  ]);
  return `## ${title}\n${introductions[title] ?? ''}\n${table(['variable', 'flag', 'value', 'default', 'meaning'], rows)}`;
}

function meaning({ about, isSecret }: Setting<unknown>): string {
  const text = about.replaceAll('<', '&lt;');
  return isSecret ? `${text} Secret: never printed.` : text;
}

function clientSection(): string {
  const rows = Object.values(clientSettingTable).map(({ variable, default: usual, about }) => [
    code(variable),
    usual === null ? '' : code(usual),
    about,
  ]);
  return `## Client commands\n\n${table(['variable', 'default', 'meaning'], rows)}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) writeFileSync(settingsFile, settingsPage());
