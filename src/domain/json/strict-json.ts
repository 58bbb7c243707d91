import { visit } from 'jsonc-parser';
import { ServiceError } from '../errors.ts';
import { type JsonShape, jsonShape } from './json-shape.ts';

export interface StrictJsonOptions {
  /** A bare scalar has depth 0. */
  readonly maxDepth: number;
  /** Refuse numbers whose decimal value RFC 8785 would change. Used for statements, but not for plain JCS. */
  readonly exactNumbers: boolean;
  /** The most values. Default: as many as the bytes hold. */
  readonly maxValues?: number;
}

/**
 * Parses JSON without losing anything: UTF-8 only, no duplicate keys, no lone surrogates, no numbers out of range.
 * @throws ServiceError `invalid_json`, `too_deep` or `too_large`, with the RFC 6901 pointer of each problem in its details.
 */
export function parseStrictJson(bytes: Uint8Array, options: StrictJsonOptions): unknown {
  const { maxValues = Number.POSITIVE_INFINITY } = options;
  const shape = jsonShape(bytes, maxValues);
  if (shape.depth > options.maxDepth) {
    const message = `The JSON is nested ${shape.depth} levels deep; ${options.maxDepth} are accepted (CAIRN_MAX_JSON_DEPTH).`;
    throw new ServiceError('too_deep', message);
  }
  if (shape.values > maxValues)
    throw new ServiceError('too_large', `The JSON has more than ${maxValues} values. Split it.`);
  const text = decodeUtf8(bytes);
  const value = parse(text);
  const seen = { members: 0, numbers: 0, problem: false };
  inspect(value, seen);
  if (seen.problem || isSuspect(shape, seen, options)) assertNoProblems(text, options);
  return value;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws ServiceError `invalid_json` when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ServiceError('invalid_json', 'The body is not valid UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'syntax error';
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${reason}.`, { cause });
  }
}

interface Inspection {
  members: number;
  numbers: number;
  problem: boolean;
}

function inspect(value: unknown, seen: Inspection): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) seen.problem = true;
  } else if (typeof value === 'number') {
    seen.numbers += 1;
    if (!Number.isFinite(value)) seen.problem = true;
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, seen);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      seen.members += 1;
      if (!key.isWellFormed()) seen.problem = true;
      inspect(member, seen);
    }
  }
}

/** Fewer members in the value than colons in the text mean that JSON.parse dropped a duplicate key. */
function isSuspect(shape: JsonShape, seen: Inspection, options: StrictJsonOptions): boolean {
  return shape.members !== seen.members || (options.exactNumbers && seen.numbers > 0);
}

/** Finds the pointer of each problem. Slow, so it runs only on suspicion. */
function assertNoProblems(text: string, options: StrictJsonOptions): void {
  const details: { pointer: string; reason: string }[] = [];
  const keys: Set<string>[] = [];
  const report = (path: readonly (string | number)[], reason: string) => {
    if (details.length < 100) details.push({ pointer: jsonPointer(path), reason });
  };
  visit(text, {
    onObjectBegin: () => void keys.push(new Set()),
    onObjectEnd: () => void keys.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      const own = keys.at(-1);
      if (own?.has(key)) report([...path(), key], 'the key is repeated in its object');
      own?.add(key);
      if (!key.isWellFormed()) report(path(), 'the key contains a lone surrogate');
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      if (typeof value === 'string' && !value.isWellFormed())
        report(path(), 'the text contains a lone surrogate');
      if (typeof value !== 'number') return;
      const reason = numberProblem(text.slice(offset, offset + length), options);
      if (reason) report(path(), reason);
    },
  });
  const [first] = details;
  if (!first) return;
  throw new ServiceError('invalid_json', `At "${first.pointer}": ${first.reason}.`, { details });
}

/** Longer than any double that is written out in full. */
const longestNumber = 2_000;

function numberProblem(lexeme: string, options: StrictJsonOptions): string | undefined {
  const value = Number(lexeme);
  if (!Number.isFinite(value)) return `the number ${clip(lexeme)} is out of range`;
  if (!options.exactNumbers) return undefined;
  if (lexeme.length > longestNumber) return `the number ${clip(lexeme)} has over ${longestNumber} characters`;
  if (decimalValue(lexeme) === decimalValue(String(value))) return undefined;
  return `the number ${clip(lexeme)} would become ${value}; write it as a string`;
}

/** Normalizes a number: sign, digits without outer zeros, exponent. Equal values give equal texts. */
function decimalValue(lexeme: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme);
  if (!parts) return lexeme;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

function clip(lexeme: string): string {
  return lexeme.length > 40 ? `${lexeme.slice(0, 40)}…` : lexeme;
}

export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
