import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { distance } from 'fastest-levenshtein';
import { messageOf } from '../../domain/errors.ts';
import { ownContextUrl } from '../../domain/integrity/contexts/own.ts';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { assertShape } from '../../domain/integrity/identification/statement-shape.ts';
import { cidUrn } from '../../domain/integrity/identifiers/cid.ts';
import { parseIdentifier } from '../../domain/integrity/identifiers/identifiers.ts';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import {
  commonMembers,
  type Member,
  type StatementForm,
  statementForms,
} from '../../domain/integrity/kinds/members.ts';
import { type StatementKind, statementKindNames } from '../../domain/integrity/kinds/registry.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { identifierOrFile } from '../client/identifier-or-file.ts';
import { ownKey } from '../client/own-key.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { table, writeText } from '../terminal/output.ts';

const notes = `
The statement has your own key as registeredBy and the current time, unless you give them. A member that is given twice
becomes a list. A file or folder stands for its CID. Nothing is stored: use "cairn put" for files. "cairn statement --list"
prints the kinds, and "cairn statement KIND --help" the members of one.

Examples:
  $ cairn statement DataRegistration data=model.bin | cairn ingest -
  $ cairn statement ComputationRegistration input=raw.csv input=labels.csv output=model.bin
  $ cairn statement CredentialRegistration credential=signed.json`;

/** Members that have a default. */
const settable = commonMembers.filter(({ name }) => name === 'registeredBy' || name === 'timestamp');

export function statementCommand(program: Command, io: Io): void {
  program
    .command('statement')
    .description('print a statement that can be stored')
    .argument('[kind]', 'a kind of statement, such as DataRegistration')
    .argument('[member=value...]', 'what it says')
    .option('--list', 'print the kinds and what they say')
    .addHelpText('before', ({ command }) => helpOf(command.args[0]))
    .addHelpText('after', notes)
    .action(async (kind: string | undefined, members: readonly string[], { list }: { list?: true }) => {
      if (list) await writeText(io, kindList());
      else if (kind === undefined) failUsage(`Name a kind of statement:\n\n${kindList().trimEnd()}`);
      else await writeText(io, `${await statementText(io, formsOf(kind), members)}\n`);
    });
}

function helpOf(kind: string | undefined): string {
  const forms = statementForms.filter((form) => form.kind === kind);
  return forms.length > 0 ? `${kind}\n\n${memberLists(forms)}` : '';
}

function formsOf(kind: string): StatementForm[] {
  const forms = statementForms.filter((form) => form.kind === kind);
  if (forms.length > 0) return forms;
  failUsage(
    `"${kind}" is not a kind of statement. Did you mean ${nearest(kind, statementKindNames)}? "cairn statement --list" prints all kinds.`,
  );
}

async function statementText(io: Io, forms: readonly StatementForm[], members: readonly string[]) {
  const given = givenMembers(members);
  const { kind, members: known } = chosenForm(forms, [...given.keys()]);
  const values: Record<string, unknown> = {};
  for (const member of [...settable, ...known]) {
    const texts = given.get(member.name) ?? [];
    const all = await Promise.all(texts.map((text) => memberValue(io, member, text)));
    if (all.length > 0) values[member.name] = all.length === 1 ? all[0] : all;
  }
  const { registeredBy = (await ownKey(io)).did, timestamp = statementTime(new Date()), ...own } = values;
  const needsOperator = known.some(({ name, isRequired }) => name === 'operatedBy' && isRequired);
  return await withId(kind, {
    '@context': ownContextUrl,
    '@type': kind,
    registeredBy,
    timestamp,
    ...(needsOperator && { operatedBy: registeredBy }),
    ...own,
  });
}

function givenMembers(members: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const pairs = members.map((text) => {
    const [, name, value] = /^(\w+)=(.+)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      failUsage(`"${text}" is not a member and its value. Write member=value.`);
    return { name, value };
  });
  const byName = Map.groupBy(pairs, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, all.map(({ value }) => value)]));
}

/** The form of the kind that has these members. @throws Failure (usage) for unknown and missing members. */
function chosenForm(forms: readonly StatementForm[], given: readonly string[]): StatementForm {
  const kind = forms[0]?.kind;
  const names = [...settable, ...forms.flatMap(({ members }) => members)].map(({ name }) => name);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined)
    failUsage(`${kind} has no member "${unknown}". Did you mean ${nearest(unknown, names)}?`);
  const own = given.filter((name) => !settable.some((member) => member.name === name));
  const fitting = forms.filter(({ members }) => own.every((own) => members.some(({ name }) => name === own)));
  const [form] = fitting;
  if (!form || (fitting.length > 1 && own.length === 0))
    failUsage(`${kind} has these members, which belong together:\n\n${memberLists(forms).trimEnd()}`);
  const missing = form.members.filter(
    ({ name, isRequired }) => isRequired && name !== 'operatedBy' && !given.includes(name),
  );
  if (missing.length > 0) failUsage(`${kind} also needs:\n${memberList(missing).trimEnd()}`);
  return form;
}

/** Loads JSON-LD only when needed, because that takes time. */
async function withId(kind: StatementKind, statement: object): Promise<string> {
  assertShape(kind, { ...statement });
  const { LocalIdentifier } = await import('../client/local-identifier.ts');
  const { rdfcCid } = await new LocalIdentifier([]).identify(Buffer.from(JSON.stringify(statement)));
  return JSON.stringify({ '@id': cidUrn(rdfcCid), ...statement });
}

/** The kinds with their meanings, as a table. */
function kindList(): string {
  return table(statementForms.map(({ kind, meaning }) => [kind, meaning]));
}

/** The members of a kind, as a table for each of its forms. */
function memberLists(forms: readonly StatementForm[]): string {
  return forms.map(({ meaning, members }) => `${meaning}\n${memberList(members)}`).join('\n');
}

function memberList(members: readonly Member[]): string {
  const rows = members.map(({ name, isMany, isRequired, meaning, form }) => {
    const notes = [isMany && 'one or many', !isRequired && 'optional'].filter(Boolean);
    return [`  ${name}`, `${meaning}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`, form];
  });
  return table(rows);
}

/** The value of a member as it is written in a statement. A file stands for its CID, or for the JSON in it. */
async function memberValue(io: Io, { name, file }: Member, text: string): Promise<unknown> {
  if (file === 'json') return await jsonIn(io, name, text);
  if (file === 'base64') return Buffer.from(jcs(await jsonIn(io, name, text))).toString('base64');
  if (file === 'cid' && !/^(?:urn|did):/.test(text)) return await identifierOrFile(io, text);
  return identifierIn(text) ?? text;
}

function identifierIn(text: string): string | undefined {
  try {
    return parseIdentifier(text);
  } catch {
    return undefined;
  }
}

async function jsonIn(io: Io, name: string, text: string): Promise<unknown> {
  const bytes = text.startsWith('{') ? Buffer.from(text) : await readFile(resolve(io.cwd, text));
  try {
    return parseStrictJson(bytes, { maxDepth: 64, exactNumbers: true });
  } catch (error) {
    failUsage(`${name} must be a file with JSON, or JSON: ${messageOf(error)}`);
  }
}

/** The word that needs the fewest changes of letters to become another, in any case. */
function nearest(word: string, others: readonly string[]): string {
  const changes = (other: string) => distance(word.toLowerCase(), other.toLowerCase());
  return others.toSorted((one, other) => changes(one) - changes(other))[0] ?? '';
}
