import { type CelValue, isCelUint } from '@bufbuild/cel';
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';

const types: Readonly<Record<string, string>> = {
  boolValue: 'boolean',
  doubleValue: 'number',
  int64Value: 'number',
  stringValue: 'string',
  uint64Value: 'number',
};

/**
 * The types of literals, if all expressions are some. `''` and null have none here: who compares with them asks whether there is
 * anything.
 */
export function typesOfLiterals(exprs: readonly (Expr | undefined)[]): string | undefined {
  const found = exprs.map(literalType);
  return found.length === 0 || found.includes(undefined) ? undefined : found.join();
}

function literalType(expr: Expr | undefined): string | undefined {
  if (expr?.exprKind.case !== 'constExpr') return undefined;
  const { case: kind, value } = expr.exprKind.value.constantKind;
  return value === '' || kind === undefined ? undefined : types[kind];
}

/**
 * A value that is compared with literals of these types. Otherwise `['AGPL']` would not be `'AGPL'`, and `7` not `'7'`.
 * @throws TypeError if it has another type.
 */
export function ofTypes(wanted: string, value: CelValue): CelValue {
  const type = typeof value === 'bigint' || isCelUint(value) ? 'number' : typeof value;
  if (!wanted.includes(type)) throw new TypeError('no such overload');
  return value;
}
