import type { RunAnswer, RunDetailsAnswer } from '../integrity/runs.ts';
import { shortId } from './text.ts';
import { markLabel } from './trust.ts';

/** A command line as a shell takes it. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Quotes a word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.:%/@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** How long something took, such as 12.3 s or 2 h 5 min. */
export function durationText(seconds: number): string {
  if (seconds < 0.01) return 'under 0.01 s';
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(2)) : Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return whole % 60 > 0 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
}

type Ending = Pick<RunAnswer, 'result' | 'exit_code' | 'signal'>;

/** How a run ended, such as "failed (exit code 3)". */
export function resultText({ result, exit_code: code, signal }: Ending): string {
  if (result === 'unknown') return 'not stated';
  if (signal !== null) return `failed (${signal})`;
  return result === 'failed' && code !== null ? `failed (exit code ${code})` : result;
}

/** What a run is called. */
export function runTitle({ name, id }: Pick<RunAnswer, 'name' | 'id'>): string {
  return name ?? `computation ${shortId(id)}`;
}

export function runTime({ started, timestamp }: Pick<RunAnswer, 'started' | 'timestamp'>): string | null {
  return started ?? timestamp;
}

/** The state of a tree of git, such as "main, with changes". */
export function gitText({ branch, clean, untracked }: NonNullable<RunDetailsAnswer['git']>): string {
  const state = clean ? 'no changes' : 'with changes of tracked files';
  const more = untracked > 0 ? `, ${untracked} untracked` : '';
  return `${branch ?? 'no branch'}, ${state}${more}`;
}

const mostValues = 2_000;

/** Values with the names that lead to them, such as val.accuracy. Lists are one value. */
export function flatValues(values: Readonly<Record<string, unknown>>): Map<string, string> {
  const found = new Map<string, string>();
  const add = (place: string, value: unknown): void => {
    const members = isObject(value) ? Object.entries(value) : [];
    if (found.size >= mostValues) return;
    if (members.length === 0) found.set(place, typeof value === 'string' ? value : JSON.stringify(value));
    for (const [name, member] of members) add(place === '' ? name : `${place}.${name}`, member);
  };
  for (const [name, value] of Object.entries(values)) add(name, value);
  return found;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One fact about two runs. Undefined if a run lacks it. */
export interface ComparedRow {
  readonly name: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly differs: boolean;
  /** How much a number grew from A to B. */
  readonly change?: string;
}

export interface ComparedSection {
  readonly title: string;
  /** Those that differ first. */
  readonly rows: readonly ComparedRow[];
}

/** Two runs side by side. Sections with something that differs come first, as do rows. */
export function compareRuns(a: RunDetailsAnswer, b: RunDetailsAnswer): ComparedSection[] {
  const compared = (title: string, of: (run: RunDetailsAnswer) => ReadonlyMap<string, string>) => ({
    title,
    rows: rowsOf(of(a), of(b)),
  });
  const hasOneFile = [a, b].every(({ parameters }) => parameters.length <= 1);
  const sections = [
    compared('Parameters', (run) => parametersOf(run, hasOneFile)),
    compared('Metrics', ({ metrics }) => flatValues(metrics ?? {})),
    compared('Inputs', inputsOf),
    compared('Command', ({ command }) => new Map(command ? [['command', shellLine(command)]] : [])),
    compared(
      'Environment',
      ({ environment }) =>
        new Map(Object.entries(environment ?? {}).map(([name, value]) => [name, value ?? '(not set)'])),
    ),
    compared('git', ({ git }) => new Map(git ? [...commitOf(git), ['work tree', gitText(git)]] : [])),
    compared('Metadata', ({ metadata }) => flatValues(metadata ?? {})),
    compared('Run', endOf),
  ].filter(({ rows }) => rows.length > 0);
  return sections.toSorted((one, other) => Number(isDifferent(other)) - Number(isDifferent(one)));
}

export function isDifferent({ rows }: ComparedSection): boolean {
  return rows.some(({ differs }) => differs);
}

function parametersOf({ parameters }: RunDetailsAnswer, hasOneFile: boolean): Map<string, string> {
  const all = parameters.flatMap(({ path, values }) =>
    [...flatValues(values)].map(([name, value]) => [hasOneFile ? name : `${path}: ${name}`, value] as const),
  );
  return new Map(all);
}

/** Inputs by their name, with their identifier. Several can have the same name. A program need not have one. */
function inputsOf({ inputs, program }: RunDetailsAnswer): Map<string, string> {
  const found = new Map<string, string>();
  const named = program && { ...program, name: program.name ?? 'program' };
  for (const { id, name } of [...inputs, ...(named ? [named] : [])]) {
    const key = name ?? shortId(id);
    const before = found.get(key);
    if (before !== shortId(id))
      found.set(key, before === undefined ? shortId(id) : `${before}, ${shortId(id)}`);
  }
  return found;
}

function commitOf({ commit }: NonNullable<RunDetailsAnswer['git']>): [string, string][] {
  return commit === undefined ? [] : [['commit', commit]];
}

function endOf(run: RunDetailsAnswer): Map<string, string> {
  const { duration, by, trust, description } = run;
  const facts: [string, string | null][] = [
    ['result', resultText(run)],
    ['started', runTime(run)],
    ['duration', duration === null ? null : durationText(duration)],
    ['by', by.map(({ id, name }) => name ?? shortId(id)).join(', ')],
    ['trust', markLabel(trust) ?? 'claimed'],
    ['described', description ? null : 'nobody says what was done'],
  ];
  return new Map(facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

function rowsOf(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ComparedRow[] {
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const rows = names.map((name) => {
    const [one, other] = [a.get(name), b.get(name)];
    const change = one === other ? undefined : changeOf(one, other);
    return { name, a: one, b: other, differs: one !== other, ...(change !== undefined && { change }) };
  });
  return rows.toSorted((one, other) => Number(other.differs) - Number(one.differs));
}

const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function changeOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined || !number.test(a) || !number.test(b)) return undefined;
  const change = Number((Number(b) - Number(a)).toPrecision(4));
  return Number.isFinite(change) ? `${change > 0 ? '+' : '−'}${Math.abs(change)}` : undefined;
}
