import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { closest } from 'fastest-levenshtein';
import type { FactField } from './fact-table.ts';
import { elementOf, fieldsOf } from './facts.ts';
import { fits, functions, resultOf, takesText, usage } from './functions.ts';

/** The type of an expression: one of the table, or `dyn`, `null`, `type`, `duration`, `list(dyn)` and the like. */
interface Typed {
  readonly type: string;
  /** All texts that it can be. */
  readonly oneOf?: readonly string[] | undefined;
}

export interface Scope {
  /** Variables by name. */
  readonly variables: Readonly<Record<string, FactField | Typed>>;
  /** The names that the policy gives to signers. */
  readonly signers: readonly string[];
}

/** What is wrong in a condition. The sentences are in `src/contract/policy-problems.ts`. */
export interface ConditionProblem {
  readonly code:
    | 'not_cel'
    | 'unknown_name'
    | 'unknown_field'
    | 'unknown_function'
    | 'unknown_value'
    | 'not_comparable'
    | 'not_a_list'
    | 'no_fields'
    | 'not_a_bool'
    | 'wrong_operands'
    | 'wrong_use'
    | 'wrong_text'
    | 'not_supported'
    | 'too_long';
  /** The name, or what was found. */
  readonly found: string;
  /** The nearest name, or the type that was wanted. */
  readonly nearest?: string | undefined;
  /** The type whose field it is. */
  readonly of?: string;
  /** Position in the condition. */
  readonly offset: number;
}

export class ConditionError extends Error {
  readonly problem: ConditionProblem;
  constructor(problem: ConditionProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

/** Operators, and what macros are made of. */
const results: Readonly<Record<string, string>> = {
  '!_': 'bool',
  '@in': 'bool',
  '@not_strictly_false': 'bool',
  '_!=_': 'bool',
  '_&&_': 'bool',
  '_<=_': 'bool',
  '_<_': 'bool',
  '_==_': 'bool',
  '_>=_': 'bool',
  '_>_': 'bool',
  '_||_': 'bool',
};
const macros = ['all', 'exists', 'exists_one', 'filter', 'has', 'map'];
const arithmetic = new Set(['_+_', '_-_', '_*_', '_/_', '_%_', '-_']);
const comparisons = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_']);
const numbers = new Set(['int', 'double', 'uint']);

/** Finds the type of an expression. Types of other things than facts are only known as far as names need it. */
export class TypeCheck {
  readonly #signers: readonly string[];
  readonly #positions: Readonly<Record<string, number>>;

  constructor(signers: readonly string[], positions: Readonly<Record<string, number>>) {
    this.#signers = signers;
    this.#positions = positions;
  }

  /** @throws ConditionError for the first problem. */
  typeOf(expr: Expr | undefined, variables: Scope['variables']): Typed {
    const { exprKind: kind } = expr ?? { exprKind: { case: undefined, value: undefined } };
    const fail = (problem: Omit<ConditionProblem, 'offset'>): never => this.#fail(expr, problem);
    switch (kind.case) {
      case 'constExpr':
        return { type: constantTypes[kind.value.constantKind.case ?? ''] ?? 'dyn' };
      case 'identExpr': {
        const { name } = kind.value;
        const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
        if (known) return this.#named(known);
        const names = Object.keys(variables).filter((one) => !one.startsWith('@'));
        return fail({ code: 'unknown_name', found: name, nearest: nearest(name, names) });
      }
      case 'selectExpr':
        return this.#select(this.typeOf(kind.value.operand, variables).type, kind.value, fail);
      case 'callExpr':
        return this.#call(kind.value, variables, fail);
      case 'listExpr': {
        const types = kind.value.elements.map((one) => this.typeOf(one, variables).type);
        return { type: listOf(types.reduce((one, other) => joined(one, other), types[0] ?? 'dyn')) };
      }
      case 'structExpr': {
        if (kind.value.messageName !== '') fail({ code: 'not_supported', found: kind.value.messageName });
        for (const { keyKind, value } of kind.value.entries) {
          if (keyKind.case === 'mapKey') this.typeOf(keyKind.value, variables);
          this.typeOf(value, variables);
        }
        return { type: 'values' };
      }
      case 'comprehensionExpr': {
        const { iterVar, accuVar, iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
        const range = this.typeOf(iterRange, variables).type;
        const element = range === 'values' ? 'string' : range === 'dyn' ? 'dyn' : elementOf(range);
        if (element === undefined)
          return this.#fail(iterRange, { code: 'not_a_list', found: textOf(iterRange), of: range });
        const inside = { ...variables, [iterVar]: this.#item(element) };
        const first = this.typeOf(accuInit, variables);
        const step = this.typeOf(loopStep, { ...inside, [accuVar]: first });
        const accu = { ...inside, [accuVar]: { type: joined(first.type, step.type) } };
        this.typeOf(loopCondition, accu);
        return this.typeOf(result, accu);
      }
      default:
        return fail({ code: 'not_supported', found: String(kind.case) });
    }
  }

  #item(type: string): Typed {
    return this.#named({ type });
  }

  /** A signer is one of those that the policy names. */
  #named(typed: Typed): Typed {
    return typed.type === 'signer' ? { ...typed, oneOf: this.#signers } : typed;
  }

  #select(type: string, { field, testOnly }: Select, fail: Fail): Typed {
    const fields = fieldsOf(type);
    if (fields) {
      const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (!found)
        return fail({
          code: 'unknown_field',
          found: field,
          of: type,
          nearest: nearest(field, Object.keys(fields)),
        });
      if (testOnly) return { type: 'bool' };
      return this.#named(found);
    }
    if (type !== 'values' && type !== 'dyn') fail({ code: 'no_fields', found: field, of: type });
    return { type: testOnly ? 'bool' : 'dyn' };
  }

  #call({ function: name, target, args }: Call, variables: Scope['variables'], fail: Fail): Typed {
    const given = [...(target ? [target] : []), ...args];
    const types = given.map((one) => this.typeOf(one, variables));
    const [first = dyn, second = dyn] = types;
    if (name === '_[_]') {
      const element = elementOf(first.type);
      if (element !== undefined) return this.#item(element);
      if (first.type === 'values' || first.type === 'dyn') return dyn;
      return fail({ code: 'not_a_list', found: textOf(given[0]), of: first.type });
    }
    if (name === '_?_:_') return { type: joined(second.type, types[2]?.type ?? 'dyn') };
    if (arithmetic.has(name)) {
      const other = given.length > 1 ? second.type : first.type;
      const type = resultOf(name, first.type, other);
      return type === undefined
        ? fail({ code: 'wrong_operands', found: name.replaceAll('_', ''), of: first.type, nearest: other })
        : { type };
    }
    if (comparisons.has(name)) this.#compare(given, first, second, fail);
    if (name === '@in') {
      const element = elementOf(second.type);
      if (element === undefined && second.type !== 'values' && second.type !== 'dyn')
        this.#fail(given[1], { code: 'not_a_list', found: textOf(given[1]), of: second.type });
      if (element !== undefined) this.#compare(given, first, this.#item(element), fail);
      for (const one of elementsOf(given[1]))
        this.#compare([given[0], one], first, this.typeOf(one, variables), fail);
    }
    if (logic.has(name))
      for (const [at, { type }] of types.entries())
        if (type !== 'bool' && type !== 'dyn')
          this.#fail(given[at], { code: 'not_a_bool', found: textOf(given[at]), of: type });
    const result = results[name];
    if (result !== undefined) return { type: result };
    const forms = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!forms) {
      const names = [...Object.keys(functions), ...macros];
      return fail({ code: 'unknown_function', found: name, nearest: nearest(name, names) });
    }
    const argTypes = types.slice(target ? 1 : 0).map(({ type }) => type);
    const form = forms.find((one) => fits(one, target && first.type, argTypes));
    if (!form) {
      const nearestForm = forms.find(({ of }) => (of === undefined) === (target === undefined)) ?? forms[0];
      return fail({ code: 'wrong_use', found: name, nearest: nearestForm && usage(name, nearestForm) });
    }
    const written = literal(args.at(-1));
    if (written !== undefined && !takesText(name, written))
      this.#fail(args.at(-1), { code: 'wrong_text', found: written, of: name });
    return { type: form.gives };
  }

  #compare(given: readonly (Expr | undefined)[], one: Typed, other: Typed, fail: Fail): void {
    if ([one, other].some(({ type }) => fieldsOf(elementOf(type) ?? type)))
      fail({ code: 'not_comparable', found: one.type, nearest: other.type });
    if (!areComparable(one.type, other.type))
      fail({ code: 'not_comparable', found: one.type, nearest: other.type });
    for (const [typed, expr] of [
      [one, given[1]],
      [other, given[0]],
    ] as const) {
      const text = literal(expr);
      if (text === undefined || text === '' || !typed.oneOf || typed.oneOf.includes(text)) continue;
      this.#fail(expr, {
        code: 'unknown_value',
        found: text,
        of: typed.type,
        nearest: nearest(text, typed.oneOf),
      });
    }
  }

  #fail(expr: Expr | undefined, problem: Omit<ConditionProblem, 'offset'>): never {
    throw new ConditionError({ ...problem, offset: this.#positions[String(expr?.id)] ?? 0 });
  }
}

type Fail = (problem: Omit<ConditionProblem, 'offset'>) => never;
type Select = Extract<Expr['exprKind'], { case: 'selectExpr' }>['value'];
type Call = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];

const dyn: Typed = { type: 'dyn' };
const logic = new Set(['_&&_', '_||_', '!_']);
const constantTypes: Readonly<Record<string, string>> = {
  boolValue: 'bool',
  bytesValue: 'bytes',
  doubleValue: 'double',
  int64Value: 'int',
  nullValue: 'null',
  stringValue: 'string',
  uint64Value: 'uint',
};

function listOf(type: string): string {
  return `list(${type})`;
}

function joined(one: string, other: string): string {
  if (one === other || other === 'list(dyn)' || other === 'dyn') return one;
  return one === 'list(dyn)' || one === 'dyn'
    ? other
    : elementOf(one) && elementOf(other)
      ? 'list(dyn)'
      : 'dyn';
}

function areComparable(one: string, other: string): boolean {
  if (one === other || [one, other].some((type) => type === 'dyn' || type === 'null')) return true;
  if (numbers.has(one) && numbers.has(other)) return true;
  const texts = new Set(['string', 'signer']);
  if (texts.has(one) && texts.has(other)) return true;
  return elementOf(one) !== undefined && elementOf(other) !== undefined;
}

function nearest(name: string, names: readonly string[]): string | undefined {
  const same = names.find((one) => one.toLowerCase() === name.toLowerCase());
  return names.length === 0 ? undefined : (same ?? closest(name, [...names]));
}

function literal(expr: Expr | undefined): string | undefined {
  if (expr?.exprKind.case !== 'constExpr') return undefined;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : undefined;
}

/** The elements of a list that is written out. */
export function elementsOf(expr: Expr | undefined): readonly Expr[] {
  return expr?.exprKind.case === 'listExpr' ? expr.exprKind.value.elements : [];
}

/** A name for messages. */
function textOf(expr: Expr | undefined): string {
  const kind = expr?.exprKind;
  if (kind?.case === 'identExpr') return kind.value.name;
  if (kind?.case === 'selectExpr') return `${textOf(kind.value.operand)}.${kind.value.field}`;
  if (kind?.case === 'callExpr' && /^\w+$/.test(kind.value.function)) return `${kind.value.function}(…)`;
  return literal(expr) ?? 'this';
}
