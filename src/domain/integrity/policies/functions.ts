import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { RE2JS } from '@bufbuild/re2';
import { elementOf } from './facts.ts';

/** One way in which conditions use a function. */
export interface Form {
  /** What it is called on, such as `text.contains(…)`. */
  readonly of?: readonly string[];
  /** The types that each argument may have. */
  readonly takes: readonly (readonly string[])[];
  /** How many of the last arguments may be left out. */
  readonly optional?: number;
  readonly gives: string;
}

const text = ['string', 'signer'];
const int = ['int'];
const time = ['timestamp'];
const length = ['duration'];
const texts = ['list'];
const sized = [...text, 'bytes', 'list', 'values'];
const anything = ['any'];

const ofText = (gives: string, ...takes: Form['takes']): Form => ({ of: text, takes, gives });
const plain = (gives: string, ...takes: Form['takes']): Form => ({ takes, gives });
const ofTime: Form = { of: time, takes: [text], optional: 1, gives: 'int' };
const ofLength: Form = { of: length, takes: [], gives: 'int' };

/** The functions of conditions: the standard ones of CEL, and those for texts. */
export const functions: Readonly<Record<string, readonly Form[]>> = {
  bool: [plain('bool', ['bool', ...text])],
  charAt: [ofText('string', int)],
  contains: [ofText('bool', text)],
  double: [plain('double', ['double', 'int', 'uint', ...text])],
  duration: [plain('duration', [...length, ...text])],
  endsWith: [ofText('bool', text)],
  getDate: [ofTime],
  getDayOfMonth: [ofTime],
  getDayOfWeek: [ofTime],
  getDayOfYear: [ofTime],
  getFullYear: [ofTime],
  getHours: [ofTime, ofLength],
  getMilliseconds: [ofTime, ofLength],
  getMinutes: [ofTime, ofLength],
  getMonth: [ofTime],
  getSeconds: [ofTime, ofLength],
  indexOf: [{ ...ofText('int', text, int), optional: 1 }],
  int: [plain('int', ['int', 'uint', 'double', ...text, ...time])],
  join: [{ of: texts, takes: [text], optional: 1, gives: 'string' }],
  lastIndexOf: [{ ...ofText('int', text, int), optional: 1 }],
  lowerAscii: [ofText('string')],
  matches: [ofText('bool', text), plain('bool', text, text)],
  replace: [{ ...ofText('string', text, text, int), optional: 1 }],
  size: [plain('int', sized), { of: sized, takes: [], gives: 'int' }],
  split: [{ ...ofText('list(string)', text, int), optional: 1 }],
  startsWith: [ofText('bool', text)],
  string: [plain('string', anything)],
  substring: [{ ...ofText('string', int, int), optional: 1 }],
  timestamp: [plain('timestamp', [...text, 'int', ...time])],
  trim: [ofText('string')],
  upperAscii: [ofText('string')],
};

/** @param target the type of what the function is called on; undefined if it is called alone. */
export function fits(form: Form, target: string | undefined, args: readonly string[]): boolean {
  const { of, takes, optional = 0 } = form;
  if ((of === undefined) !== (target === undefined)) return false;
  if (of && target !== undefined && !isOneOf(target, of)) return false;
  if (args.length > takes.length || args.length < takes.length - optional) return false;
  return args.every((type, at) => isOneOf(type, takes[at] ?? []));
}

function isOneOf(type: string, types: readonly string[]): boolean {
  if (type === 'dyn' || types.includes('any')) return true;
  return types.includes(elementOf(type) === undefined ? type : 'list');
}

/** How a function is written: `text.contains(text)`. */
export function usage(name: string, { of, takes }: Form): string {
  const word = (types: readonly string[]) =>
    types.length > 3 ? 'value' : (words[types[0] ?? ''] ?? 'value');
  return `${of ? `${word(of)}.` : ''}${name}(${takes.map(word).join(', ')})`;
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'number',
  timestamp: 'time',
  duration: 'duration',
  list: 'list',
};

type Operator = (one: string, other: string) => string | undefined;

const numbers = ['int', 'double', 'uint'];
const same: Operator = (one, other) => (one === other && numbers.includes(one) ? one : undefined);

/** What an operator gives; undefined if it does not take these types. */
export function resultOf(operator: string, one: string, other: string): string | undefined {
  if (one === 'dyn' || other === 'dyn') return one === other ? 'dyn' : known(operator, one, other);
  return operators[operator]?.(one, other);
}

/** A value whose type nobody knows before it is read may be of the type that fits. */
function known(operator: string, one: string, other: string): string {
  const type = one === 'dyn' ? other : one;
  return type === 'timestamp' || type === 'duration' ? 'dyn' : (operators[operator]?.(type, type) ?? 'dyn');
}

const operators: Readonly<Record<string, Operator>> = {
  '_+_': (one, other) => {
    if (text.includes(one) && text.includes(other)) return 'string';
    if (one === 'bytes' && other === 'bytes') return 'bytes';
    if (elementOf(one) !== undefined && elementOf(other) !== undefined)
      return one === other || other === 'list(dyn)' ? one : one === 'list(dyn)' ? other : 'list(dyn)';
    if (one === 'timestamp' && other === 'duration') return 'timestamp';
    if (one === 'duration' && (other === 'timestamp' || other === 'duration')) return other;
    return same(one, other);
  },
  '_-_': (one, other) => {
    if (one === 'timestamp' && other === 'timestamp') return 'duration';
    if ((one === 'timestamp' || one === 'duration') && other === 'duration') return one;
    return same(one, other);
  },
  '_*_': same,
  '_/_': same,
  '_%_': (one, other) => (one === 'double' ? undefined : same(one, other)),
  '-_': (one) => (one === 'int' || one === 'double' ? one : undefined),
};

/** Whether a function takes a text that stands in the condition. */
export function takesText(name: string, written: string): boolean {
  if (name === 'matches') return isPattern(written);
  if (name !== 'timestamp' && name !== 'duration') return true;
  return !isCelError(plan(celEnv(), parse(`${name}(written)`))({ written }));
}

/** A pattern that repeats counted parts may take long to compile, so it is tried when a run has steps for it. */
function isPattern(written: string): boolean {
  if (written.includes('{')) return true;
  try {
    RE2JS.compile(written);
    return true;
  } catch {
    return false;
  }
}
