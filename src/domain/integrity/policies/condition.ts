import {
  type CelEnv,
  type CelInput,
  type CelResult,
  CelScalar,
  celEnv,
  celFunc,
  listType,
  parse,
  plan,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { hasField } from './fact-map.ts';
import { ConditionError, elementsOf, type Scope, TypeCheck } from './types.ts';
import { ofTypes, typesOfLiterals } from './watching/literal-types.ts';
import {
  append,
  charge,
  concatenated,
  emptyList,
  endLoop,
  found,
  joinedLists,
  matches,
  nextItem,
  search,
  startLoop,
} from './watching/watch.ts';

const longest = 10_000;
const { BOOL, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** A condition that was checked and planned. */
export interface Condition {
  readonly text: string;
  /** The type of its result. */
  readonly type: string;
  readonly run: (variables: Readonly<Record<string, CelInput>>) => CelResult;
}

/**
 * Parses a condition, checks its names and types, and plans it. The plan tells `watch.ts` what it does, which must watch each
 * run.
 * @throws ConditionError
 */
export function compileCondition(text: string, { variables, signers }: Scope): Condition {
  if (text.length > longest)
    throw new ConditionError({ code: 'too_long', found: String(longest), offset: 0 });
  const { expr, sourceInfo } = parsed(text);
  const { type } = new TypeCheck(signers, sourceInfo?.positions ?? {}).typeOf(expr, variables);
  watchLoops(expr);
  const run = plan(environment(), expr) as Condition['run'];
  return { text, type, run };
}

function parsed(text: string): ReturnType<typeof parse> {
  try {
    return parse(text);
  } catch (error) {
    const location = (error as { location?: { start?: { offset?: number } } }).location;
    const offset = location?.start?.offset ?? 0;
    throw new ConditionError({ code: 'not_cel', found: text.slice(offset, offset + 20), offset });
  }
}

let shared: CelEnv | undefined;

function environment(): CelEnv {
  shared ??= celEnv({
    funcs: [
      ...strings.filter(({ name }) => name !== 'format' && name !== 'strings.quote'),
      celFunc('_+_', [STRING, STRING], STRING, concatenated),
      celFunc('_+_', [LIST, LIST], LIST, joinedLists),
      celFunc('@start', [INT, STRING, DYN], DYN, startLoop),
      celFunc('@next', [INT], BOOL, nextItem),
      celFunc('@end', [INT, DYN], DYN, endLoop),
      celFunc('@list', [], DYN, emptyList),
      celFunc('@append', [DYN, DYN], DYN, append),
      celFunc('@has', [DYN, STRING], BOOL, hasField),
      celFunc('@charge', [DYN], DYN, charge),
      celFunc('@typed', [STRING, DYN], DYN, ofTypes),
      celFunc('@search', [INT, DYN], DYN, search),
      celFunc('@found', [INT, BOOL], BOOL, found),
    ],
    re2: { compile: (pattern) => ({ test: (text) => matches(pattern, text) }) },
  });
  return shared;
}

/** Rewrites loops, so that each step is counted, lists grow in linear time, and what they read is known. */
function watchLoops(expr: Expr | undefined): void {
  const kind = expr?.exprKind;
  if (!expr || kind === undefined) return;
  if (kind.case === 'selectExpr') {
    const { operand, field, testOnly } = kind.value;
    watchLoops(operand);
    if (testOnly && operand)
      expr.exprKind = callOf('@has', [operand, constant('stringValue', field)]).exprKind;
  } else if (kind.case === 'callExpr') {
    const { function: name, args, target } = kind.value;
    watchLoops(target);
    for (const arg of args) watchLoops(arg);
    watchTypes(name, args);
    if ((name === 'size' || name === 'join') && target) kind.value.target = callOf('@charge', [target]);
    if (name === '@in' && args[1]) {
      const call = constant('int64Value', expr.id);
      args[1] = callOf('@search', [call, args[1]]);
      expr.exprKind = callOf('@found', [call, node(kind)]).exprKind;
    }
    for (const at of charged[name] ?? []) {
      const arg = args[at];
      if (arg && arg.exprKind.case !== 'constExpr') args[at] = callOf('@charge', [arg]);
    }
  } else if (kind.case === 'listExpr') for (const one of kind.value.elements) watchLoops(one);
  else if (kind.case === 'structExpr')
    for (const { keyKind, value } of kind.value.entries) {
      if (keyKind.case === 'mapKey') watchLoops(keyKind.value);
      watchLoops(value);
    }
  else if (kind.case === 'comprehensionExpr') {
    const loop = kind.value;
    const id = constant('int64Value', expr.id);
    const makes = what(loop);
    watchLoops(loop.iterRange);
    watchLoops(loop.loopStep);
    loop.iterRange = callOf('@start', [id, constant('stringValue', makes), present(loop.iterRange)]);
    // An item that decides ends the loop before the next one begins.
    loop.loopCondition = callOf('_&&_', [present(loop.loopCondition), callOf('@next', [id])]);
    loop.result = callOf('@end', [id, present(loop.result)]);
    if (makes !== 'list') return;
    loop.accuInit = callOf('@list', []);
    appendIn(loop.loopStep, loop.accuVar);
  }
}

/** The arguments that functions read as a whole. */
const charged: Readonly<Record<string, readonly number[]>> = {
  '_==_': [0, 1],
  '_!=_': [0, 1],
  size: [0],
};

/** What is compared with literals must be of their types. */
function watchTypes(name: string, args: Expr[]): void {
  const [one, other] = args;
  if (name === '@in') args[0] = typed(one, elementsOf(other));
  else if (name === '_==_' || name === '_!=_') {
    args[0] = typed(one, [other]);
    args[1] = typed(other, [one]);
  }
}

function typed(expr: Expr | undefined, literals: readonly (Expr | undefined)[]): Expr {
  const types = typesOfLiterals(literals);
  return types === undefined
    ? present(expr)
    : callOf('@typed', [constant('stringValue', types), present(expr)]);
}

type Loop = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];

function what({ accuInit, loopStep }: Loop): 'list' | 'any' | 'all' | 'one' {
  const init = accuInit?.exprKind;
  if (init?.case === 'listExpr') return 'list';
  const step = loopStep?.exprKind;
  if (step?.case !== 'callExpr') return 'one';
  return step.value.function === '_||_' ? 'any' : step.value.function === '_&&_' ? 'all' : 'one';
}

/** `accu + [item]` of the macros `map` and `filter` becomes an append. */
function appendIn(expr: Expr | undefined, accuVar: string): void {
  if (expr?.exprKind.case !== 'callExpr') return;
  const call = expr.exprKind.value;
  const [first, second] = call.args;
  const isAccu = first?.exprKind.case === 'identExpr' && first.exprKind.value.name === accuVar;
  if (call.function === '_+_' && isAccu && second?.exprKind.case === 'listExpr')
    expr.exprKind = callOf('@append', [first, present(second.exprKind.value.elements[0])]).exprKind;
  else if (call.function === '_?_:_') appendIn(second, accuVar);
}

function present(expr: Expr | undefined): Expr {
  if (!expr) throw new TypeError('A part of the expression is missing.');
  return expr;
}

/** The types of the library's nodes have symbols of its own, which the planner does not read. */
function node(exprKind: unknown): Expr {
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind } as Expr;
}

function callOf(name: string, args: readonly Expr[]): Expr {
  const value = { $typeName: 'cel.expr.Expr.Call', function: name, args: [...args] };
  return node({ case: 'callExpr', value });
}

function constant(kind: 'stringValue' | 'int64Value', value: unknown): Expr {
  const constantKind = { case: kind, value };
  return node({ case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } });
}
