import { type CelInput, isCelError, isCelList } from '@bufbuild/cel';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { Binding } from './bind.ts';
import type { Condition } from './condition.ts';
import type { Facts } from './facts.ts';
import type { CompiledRule, Policy } from './read-policy.ts';
import {
  endOfException,
  mostStatements,
  type RuleResult,
  type RuleVerdict,
  resultOfAll,
  type Verdict,
} from './verdict.ts';
import type { Doubt, Missing, Watched } from './watching/doubts.ts';
import { noteList, watched } from './watching/watch.ts';
import { retractedFor, type Withdrawn } from './withdrawn.ts';

/** Steps of all conditions of a policy about one subject. */
const mostSteps = 5_000_000;
const listed = 100;

/**
 * Applies a policy to what is known about a subject. It does not wait for anything, has one time, and counts steps instead of
 * seconds, so it answers the same everywhere.
 */
export async function evaluate(policy: Policy, facts: Facts, now: Date): Promise<Verdict> {
  const binding = () => new Binding(facts, policy.document, now);
  return await evaluateWith(policy, { ...facts, now, binding });
}

/** What the conditions of a policy are about. */
export interface Circumstances extends Pick<Facts, 'subject' | 'faults' | 'disputed' | 'retracted'> {
  readonly now: Date;
  /** What the conditions of one rule can name. */
  readonly binding: () => Pick<Binding, 'variables'>;
}

export async function evaluateWith(policy: Policy, about: Circumstances): Promise<Verdict> {
  const { subject, now } = about;
  const rules: RuleVerdict[] = [];
  const budget = { steps: mostSteps };
  for (const rule of policy.rules) {
    rules.push(await evaluateRule(rule, about, budget));
    await yieldToEventLoop();
  }
  return { result: resultOf(rules), policy: policy.cid, subject, checkedAt: now.toISOString(), rules };
}

/** Warnings are shown, but do not count. */
function resultOf(rules: readonly RuleVerdict[]): Verdict['result'] {
  return resultOfAll(rules.filter(({ severity }) => severity === 'error').map(({ result }) => result));
}

interface Outcome {
  readonly result: 'pass' | 'fail' | 'cannot_tell';
  readonly of?: string;
  readonly doubts: readonly Doubt[];
  readonly watched: Watched;
}

/** @param budget what is left of the steps. */
async function evaluateRule(
  rule: CompiledRule,
  { faults, disputed = [], retracted = [], now, binding }: Circumstances,
  budget: { steps: number },
): Promise<RuleVerdict> {
  const { name, severity, message, article, exception } = rule;
  const outcomes: Outcome[] = [];
  const doubts: Doubt[] = faults.map((of) => ({ code: 'altered', of }));
  for await (const outcome of budget.steps > 0 ? outcomesOf(rule, binding()) : []) {
    outcomes.push(outcome);
    budget.steps -= outcome.watched.steps;
    if (budget.steps <= 0) break;
  }
  if (budget.steps <= 0) doubts.push({ code: 'too_costly' });
  for (const of of disputed)
    if (outcomes.some(({ watched: { statements } }) => statements.has(of)))
      doubts.push({ code: 'disputed', of });
  const results = outcomes.map((outcome) => outcome.result);
  const found = results.includes('fail')
    ? 'fail'
    : results.includes('cannot_tell') || doubts.length > 0
      ? 'cannot_tell'
      : 'pass';
  const deciding = outcomes.filter(({ result }) => result === found);
  const isExcepted =
    found === 'fail' && exception !== undefined && endOfException(exception.until) > now.getTime();
  const result: RuleResult = isExcepted ? 'excepted' : found;
  const of = deciding.flatMap((outcome) => outcome.of ?? []);
  const statements = deciding.flatMap(({ watched: read }) => [...read.statements]);
  const lacking = found === 'pass' ? [] : deciding.map((outcome) => outcome.watched);
  const missing = firstUnique(lacking.flatMap((read) => read.missing));
  const open =
    found === 'cannot_tell' ? firstUnique([...doubts, ...deciding.flatMap((one) => one.doubts)]) : [];
  const gone = firstUnique([
    ...retractedFor(retracted, [...missing, ...open]),
    ...lacking.flatMap((read) => read.withdrawn),
  ]);
  return {
    name,
    severity,
    result,
    ...(message !== undefined && { message }),
    ...(article !== undefined && { article }),
    ...(exception && { exception }),
    decidedBy: unique(statements).slice(0, mostStatements + 1),
    missing,
    doubts: open,
    ...(gone.length > 0 && { withdrawn: gone }),
    things: rule.things ? { count: outcomes.length - 1, deciding: unique(of).slice(0, listed) } : null,
  };
}

async function* outcomesOf(rule: CompiledRule, binding: Pick<Binding, 'variables'>): AsyncGenerator<Outcome> {
  if (!rule.things) {
    yield outcomeOf(rule.condition, binding.variables());
    return;
  }
  const { result: things, why, watched: found } = evaluated(rule.things, binding.variables());
  if (things === undefined || !isCelList(things)) {
    yield { result: 'cannot_tell', doubts: doubtsIn(found, why), watched: found };
    return;
  }
  const isEmpty = things.size === 0 && !rule.may_be_empty;
  const doubts: Doubt[] = [...found.cut, ...(isEmpty ? [{ code: 'nothing_found' }] : [])];
  // What `for` has read decides which things are judged.
  yield { result: doubts.length > 0 ? 'cannot_tell' : 'pass', doubts, watched: found };
  for (const thing of things) {
    const of = idOf(thing);
    const outcome = outcomeOf(rule.condition, binding.variables(thing as CelInput));
    yield { ...outcome, ...(of !== undefined && { of }) };
    await yieldToEventLoop();
  }
}

function idOf(thing: unknown): string | undefined {
  if (typeof thing === 'string') return thing;
  if (!(thing && typeof thing === 'object' && 'get' in thing)) return undefined;
  const fields = thing as ReadonlyMap<string, unknown>;
  // A component has no identifier.
  const { result } = watched(() => ['id', 'purl', 'name'].map((field) => fields.get(field)));
  return result.find((one): one is string => typeof one === 'string' && one !== '');
}

function outcomeOf(condition: Condition, variables: Readonly<Record<string, CelInput>>): Outcome {
  const { result, why, watched: read } = evaluated(condition, variables);
  if (read.isTooCostly || typeof result !== 'boolean')
    return { result: 'cannot_tell', doubts: doubtsIn(read, why), watched: read };
  const open = [...read.cut, ...(result ? read.empty : [])];
  if (open.length > 0) return { result: 'cannot_tell', doubts: open, watched: read };
  return { result: result ? 'pass' : 'fail', doubts: [], watched: read };
}

/** Undefined if it has no value, or if what it has read is too much. */
function evaluated(condition: Condition, variables: Readonly<Record<string, CelInput>>) {
  const { result, watched: read } = watched(() => {
    const value = condition.run(variables);
    if (isCelList(value)) noteList(value);
    return value;
  });
  if (!isCelError(result)) return { result: read.isTooCostly ? undefined : result, watched: read };
  const why = /overload/.test(result.message) ? 'wrong_types' : 'no_value';
  return { result: undefined, why, watched: read };
}

function doubtsIn({ isTooCostly, unknown, cut }: Watched, code = 'no_value'): Doubt[] {
  if (isTooCostly) return [{ code: 'too_costly' }];
  const found = [...unknown, ...cut];
  return found.length > 0 ? found : [{ code }];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function firstUnique<Item extends Missing | Doubt | Withdrawn>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((one) => [JSON.stringify(one), one])).values()].slice(0, listed);
}
