import type { CelInput } from '@bufbuild/cel';
import { isCelError, isCelList, isCelMap } from '@bufbuild/cel';
import { isMessage } from '@bufbuild/protobuf';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import { TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { Binding } from './bind.ts';
import type { CompiledSection } from './chapters.ts';
import { type Condition, compileCondition } from './condition.ts';
import { elementOf, type Facts, fieldsOf } from './facts.ts';
import type { Policy } from './read-policy.ts';
import { type RuleVerdict, resultOfAll, type Verdict } from './verdict.ts';
import type { Doubt } from './watching/doubts.ts';
import { watched } from './watching/watch.ts';

/** A chapter of a template with what is known about a subject. */
export interface FilledSection extends Pick<CompiledSection, 'title' | 'text' | 'article'> {
  /** The worst of its rules and sections; undefined without rules that count. */
  readonly result: Verdict['result'] | undefined;
  readonly rules: readonly RuleVerdict[];
  readonly shown: readonly Shown[];
}

export interface FilledChapter extends FilledSection {
  readonly sections: readonly FilledSection[];
}

export interface Shown {
  readonly label: string;
  /** Undefined if nobody has said it. */
  readonly content: ShownContent | undefined;
  readonly statements: readonly string[];
  /** Why it may lack something. */
  readonly doubts: readonly Doubt[];
}

export type ShownContent =
  | { readonly kind: 'value'; readonly value: PlainValue }
  | {
      readonly kind: 'facts';
      /** Their type in the table of facts. */
      readonly fact: string;
      readonly items: readonly ShownFact[];
      /** How many more there are. */
      readonly more: number;
    };

export interface ShownFact {
  /** Those of its fields that are not facts themselves. */
  readonly fields: Readonly<Record<string, PlainValue>>;
  readonly statements: readonly string[];
}

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

const itemsShown = 200;
const deepest = 6;

/** Fills the chapters of a template. Rules that no chapter has come last, in one of their own. */
export async function fillChapters(
  policy: Policy,
  facts: Facts,
  verdict: Pick<Verdict, 'rules' | 'checkedAt'>,
): Promise<FilledChapter[]> {
  const binding = new Binding(facts, policy.document, new Date(verdict.checkedAt));
  const rules = new Map(verdict.rules.map((rule) => [rule.name, rule]));
  const used = new Set<string>();
  const fill = async ({ title, text, article, rules: names, show }: CompiledSection) => {
    const own = names.flatMap((name) => rules.get(name) ?? []);
    for (const name of names) used.add(name);
    const shown: Shown[] = [];
    for (const { label, condition } of show) {
      shown.push({ label, ...shownBy(condition, binding) });
      await yieldToEventLoop();
    }
    return { title, text, article, result: resultOf(own), rules: own, shown };
  };
  const filled: FilledChapter[] = [];
  for (const { sections, ...chapter } of policy.chapters) {
    const own = await fill(chapter);
    const inside: FilledSection[] = [];
    for (const one of sections) inside.push(await fill(one));
    const result = resultOf([own, ...inside].flatMap((one) => one.rules));
    filled.push({ ...own, result, sections: inside });
  }
  const rest = verdict.rules.filter(({ name }) => !used.has(name));
  const others = { title: 'Further rules', text: undefined, article: undefined, shown: [], sections: [] };
  return rest.length === 0 ? filled : [...filled, { ...others, rules: rest, result: resultOf(rest) }];
}

function resultOf(rules: readonly RuleVerdict[]): Verdict['result'] | undefined {
  const counting = rules.filter(({ severity }) => severity === 'error');
  return counting.length === 0 ? undefined : resultOfAll(counting.map(({ result }) => result));
}

function shownBy(condition: Condition, binding: Binding): Omit<Shown, 'label'> {
  const variables: Readonly<Record<string, CelInput>> = binding.variables();
  const { result, watched: read } = watched(() => condition.run(variables));
  const doubts = read.isTooCostly ? [{ code: 'too_costly' }] : [...read.unknown, ...read.cut];
  const statements = [...read.statements];
  if (isCelError(result) || read.isTooCostly) return { content: undefined, statements, doubts };
  const { type } = condition;
  const fact = elementOf(type) ?? type;
  if (!fieldsOf(fact)) return { content: { kind: 'value', value: plain(result) }, statements, doubts };
  const all = isCelList(result) ? [...result] : [result];
  const items = all.slice(0, itemsShown).map((one) => shownFact(fact, one as CelInput, binding));
  const content = { kind: 'facts', fact, items, more: all.length - items.length } as const;
  // Which things were chosen does not rest on what the others say.
  return { content, statements: elementOf(type) === undefined ? statements : [], doubts };
}

function shownFact(fact: string, value: CelInput, binding: Binding): ShownFact {
  const fields: Record<string, PlainValue> = {};
  const statements = new Set<string>();
  const variables = binding.variables(value);
  for (const [field, reader] of readersOf(fact)) {
    const { result, watched: read } = watched(() => reader.run(variables));
    for (const one of read.statements) statements.add(one);
    const said = isCelError(result) ? null : plain(result);
    if (said !== null && said !== '') fields[field] = said;
  }
  return { fields, statements: [...statements] };
}

const readers = new Map<string, ReadonlyMap<string, Condition>>();

/** Conditions that read the fields of a fact that are not facts themselves. */
function readersOf(fact: string): ReadonlyMap<string, Condition> {
  return readers.getOrInsertComputed(fact, () => {
    const fields = Object.entries(fieldsOf(fact) ?? {}).filter(
      ([, { type }]) => !fieldsOf(elementOf(type) ?? type),
    );
    const scope = { variables: { it: { type: fact } }, signers: [] };
    return new Map(fields.map(([field]) => [field, compileCondition(`it.${field}`, scope)]));
  });
}

/** A value of CEL as JSON. Times are texts. */
function plain(value: unknown, depth = 0): PlainValue {
  if (value === undefined || value === null || depth > deepest) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (isCelList(value)) return [...value].slice(0, itemsShown).map((one) => plain(one, depth + 1));
  if (isCelMap(value)) {
    const entries = [...value].slice(0, itemsShown);
    return Object.fromEntries(entries.map(([name, one]) => [String(name), plain(one, depth + 1)]));
  }
  const message = isReflectMessage(value) ? value.message : value;
  if (isMessage(message, TimestampSchema)) return timestampDate(message).toISOString();
  return String(value);
}
