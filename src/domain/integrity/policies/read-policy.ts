import { closest } from 'fastest-levenshtein';
import { isMap, isScalar, type LineCounter, type Node } from 'yaml';
import { z } from 'zod';
import type { JsonObject } from '../../json/is-object.ts';
import { plainWords } from '../../json/shape-problems.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';
import { articlesOfRules, type CompiledChapter, compileChapters } from './chapters.ts';
import { type Condition, compileCondition } from './condition.ts';
import type { FactField } from './fact-table.ts';
import { elementOf, fieldsOf, rootFields } from './facts.ts';
import { type PolicyDocument, policySchema, type Rule } from './policy.ts';
import { foundLimit, parsedYaml, type YamlFault } from './policy-yaml.ts';
import { ConditionError, type ConditionProblem } from './types.ts';

export const policyLimit = 1 << 20;

export interface CompiledRule extends Rule {
  readonly things: Condition | undefined;
  readonly condition: Condition;
}

/** A policy whose conditions can be evaluated. */
export interface Policy {
  readonly document: PolicyDocument;
  /** The JCS CID of the document as it was written. */
  readonly cid: string;
  /** As it was written. */
  readonly source: JsonObject;
  readonly rules: readonly CompiledRule[];
  readonly chapters: readonly CompiledChapter[];
}

/** One thing that is wrong with a policy. Lines and columns count from 1. */
export interface PolicyProblem {
  readonly line: number;
  readonly column: number;
  /** Where it is, such as `rules[0].require`. */
  readonly place: string;
  readonly problem: DocumentProblem | ConditionProblem;
}

interface DocumentProblem {
  readonly code:
    | YamlFault['code']
    | 'too_large'
    | 'unknown_version'
    | 'unknown_member'
    | 'wrong_form'
    | 'unknown_rule';
  /** The value, or the text that cannot be read. */
  readonly found: string;
  /** The nearest name, the parser's code, or what the form demands, in words. */
  readonly nearest?: string | undefined;
}

export type PolicyReading = { readonly policy: Policy } | { readonly problems: readonly PolicyProblem[] };

const mostProblems = 20;

/** Reads a policy in YAML or JSON. @param named what its conditions can name in rules without `for`. */
export function readPolicy(text: string, named: Variables = subjectVariables): PolicyReading {
  if (Buffer.byteLength(text) > policyLimit)
    return alone({ code: 'too_large', found: String(Buffer.byteLength(text)) });
  const { document, lines, faults } = parsedYaml(text, mostProblems);
  const problems = faults.map(({ offset, ...problem }) => ({
    ...placeOf(lines, offset),
    place: '',
    problem,
  }));
  if (problems.length > 0) return { problems: problems.slice(0, mostProblems) };
  const source: unknown = document.toJS({ maxAliasCount: 0 });
  const at = (path: readonly PropertyKey[]) => positionIn(document.contents, path, lines);
  const read = policySchema.safeParse(source, { error: plainWords });
  if (!read.success) {
    const found = read.error.issues.flatMap((issue) => problemsOf(issue, source, at));
    const version = found.filter(({ problem }) => problem.code === 'unknown_version');
    return { problems: version.length > 0 ? version : found.slice(0, mostProblems) };
  }
  return compile(
    read.data,
    source as JsonObject,
    (path, offset) => {
      const node = document.getIn(path, true);
      return conditionPlace(node, text, lines, offset) ?? at(path);
    },
    at,
    named,
  );
}

/** Reads a policy that is JSON already. Its problems have places and no lines. */
export function policyOf(source: unknown, named?: Variables): PolicyReading {
  return readPolicy(JSON.stringify(source) ?? 'null', named);
}

type At = (path: readonly PropertyKey[]) => { readonly line: number; readonly column: number };

function compile(
  document: PolicyDocument,
  source: JsonObject,
  inCondition: (path: readonly PropertyKey[], offset: number) => ReturnType<At>,
  at: At,
  named: Variables,
): PolicyReading {
  const problems: PolicyProblem[] = [];
  const add = (path: readonly PropertyKey[], problem: PolicyProblem['problem'], offset?: number) => {
    const place = offset === undefined ? at(path) : inCondition(path, offset);
    problems.push({ ...place, place: pathText(path), problem });
  };
  const signers = Object.keys(document.signers);
  const names = new Set<string>();
  const compiled = (path: readonly PropertyKey[], text: string, variables: Variables, wanted: string) => {
    try {
      const condition = compileCondition(text, { variables, signers });
      const { type } = condition;
      const isWanted = wanted === 'bool' ? type === 'bool' : elementOf(type) !== undefined;
      if (isWanted || type === 'dyn' || wanted === 'any') return condition;
      const code = wanted === 'bool' ? 'not_a_bool' : 'not_a_list';
      add(path, { code, found: cut(text), of: type, offset: 0 }, 0);
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      add(path, error.problem, error.problem.offset);
    }
    return undefined;
  };
  const articles = articlesOfRules(document.chapters ?? []);
  const rules: CompiledRule[] = [];
  for (const [index, rule] of document.rules.entries()) {
    const path = ['rules', index] as const;
    if (names.has(rule.name)) add([...path, 'name'], { code: 'said_twice', found: rule.name });
    names.add(rule.name);
    const things = rule.for === undefined ? undefined : compiled([...path, 'for'], rule.for, named, 'list');
    if (rule.for !== undefined && !things) continue;
    const variables = things ? { ...rootFields, it: { type: elementOf(things.type) ?? 'dyn' } } : named;
    const condition = compiled([...path, 'require'], rule.require, variables, 'bool');
    const article = rule.article ?? articles.get(rule.name);
    if (condition) rules.push({ ...rule, article, things, condition });
  }
  const chapters = compileChapters(document.chapters ?? [], {
    rule: (path, found) =>
      names.has(found) || add(path, { code: 'unknown_rule', found, nearest: closest(found, [...names]) }),
    value: (path, text) => compiled(path, text, named, 'any'),
  });
  if (problems.length > 0) return { problems: problems.slice(0, mostProblems) };
  return { policy: { document, cid: policyCid(source), source, rules, chapters } };
}

type Variables = Readonly<Record<string, FactField | { readonly type: string }>>;

/** In a rule without `for`, the fields of the subject are variables too. */
export const subjectVariables: Variables = { ...fieldsOf('artefact'), ...rootFields };

/** The JCS CID that names a policy. */
export function policyCid(source: JsonObject): string {
  return cidOf(codecs.jcs, jcs(source)).text;
}

function problemsOf(issue: z.core.$ZodIssue, source: unknown, at: At): PolicyProblem[] {
  const { path } = issue;
  const inside = issue.code === 'invalid_union' ? issue.errors.flat() : [];
  const deepest = inside.toSorted((one, other) => other.path.length - one.path.length)[0];
  if (deepest && deepest.path.length > 0)
    return problemsOf({ ...deepest, path: [...path, ...deepest.path] }, source, at);
  const found = cut(issue.code === 'invalid_key' ? String(path.at(-1)) : textAt(source, path));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostProblems).map((key) => {
      const nearest = closest(key, membersAt(path));
      const problem = { code: 'unknown_member', found: key, nearest } as const;
      return { ...at([...path, key]), place: pathText([...path, key]), problem };
    });
  const code = path[0] === 'cairn' ? 'unknown_version' : 'wrong_form';
  const nearest = code === 'unknown_version' ? 'policy/1' : wantedIn(issue);
  return [{ ...at(path), place: pathText(path), problem: { code, found, nearest } }];
}

/** What the form demands. Of a union, what comes closest to the value. */
function wantedIn(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code !== 'invalid_union') return issue.message;
  const inner = issue.errors.flat();
  return inner.find(({ code }) => code === 'invalid_format')?.message ?? inner[0]?.message ?? issue.message;
}

/** The members that the form has at a place. */
function membersAt(path: readonly PropertyKey[]): string[] {
  let schema: JsonSchema = z.toJSONSchema(policySchema, { io: 'input' }) as JsonSchema;
  for (const step of path) {
    const next =
      typeof step === 'number'
        ? schema.items
        : (schema.properties?.[String(step)] ?? schema.additionalProperties);
    if (typeof next !== 'object') return [''];
    schema = next;
  }
  return Object.keys(schema.properties ?? { '': {} });
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

function textAt(source: unknown, path: readonly PropertyKey[]): string {
  let value: unknown = source;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step];
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

function positionIn(contents: unknown, path: readonly PropertyKey[], lines: LineCounter): ReturnType<At> {
  let node = contents as Node | null;
  let start = node?.range?.[0] ?? 0;
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    const next = pair
      ? pair.key
      : (node as { get?: (key: unknown, keep: boolean) => unknown })?.get?.(step, true);
    if (!(next as Node | undefined)?.range) break;
    start = (next as Node).range?.[0] ?? start;
    node = (pair ? pair.value : next) as Node;
  }
  return placeOf(lines, start);
}

/** The place of a character of a condition. In a text over several lines it is the line at least. */
function conditionPlace(node: unknown, text: string, lines: LineCounter, offset: number) {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined;
  const [start, end] = node.range;
  const line = node.value.slice(0, offset).split('\n').length - 1;
  const written = text.slice(start, end);
  const isPlain = node.type === 'PLAIN' && !written.includes('\n');
  const isQuoted = node.type?.startsWith('QUOTE') && written.slice(1, -1) === node.value;
  if (isPlain || isQuoted) return placeOf(lines, start + offset + (isQuoted ? 1 : 0));
  const first = lines.linePos(start);
  const isBlock = node.type?.startsWith('BLOCK');
  return isBlock ? { line: first.line + 1 + line, column: 1 } : { line: first.line, column: first.col };
}

function placeOf(lines: LineCounter, offset: number): ReturnType<At> {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function alone(problem: DocumentProblem): PolicyReading {
  return { problems: [{ line: 1, column: 1, place: '', problem }] };
}

function cut(text: string): string {
  return text.length > foundLimit ? `${text.slice(0, foundLimit)}…` : text;
}
