import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Policy, readPolicy } from '../../domain/integrity/policies/read-policy.ts';

const folder = join(import.meta.dirname, 'templates');
const ending = '.yaml';

/** The templates that Cairn has, by name. */
export const templateNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  .sort();

/** A template that Cairn has. Undefined if there is none of this name. */
export function templateNamed(name: string): Policy | undefined {
  if (!templateNames.includes(name)) return undefined;
  const read = readPolicy(readFileSync(join(folder, `${name}${ending}`), 'utf8'));
  if ('policy' in read) return read.policy;
  throw new TypeError(`The template ${name} is faulty: ${JSON.stringify(read.problems)}`);
}
