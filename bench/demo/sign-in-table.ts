import { table } from '../../src/cli/terminal/output.ts';
import { people } from './people.ts';
import type { DemoProvider } from './provider.ts';

/** Where to sign in, and as whom. */
export function signInTable(url: string, { passwords }: DemoProvider): string {
  const rows = Object.values(people).map(({ login, part }) => [
    `  ${login}`,
    passwords.get(login) ?? '',
    part,
  ]);
  return `Sign in at ${url}/ui with a user name and its password:\n${table(rows)}`;
}
