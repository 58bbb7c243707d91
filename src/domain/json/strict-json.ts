import { visit } from 'jsonc-parser';
import { ServiceError } from '../errors.ts';

// The bytes that structure a JSON text (RFC 8259, section 2). All of them are ASCII, so none is part of another character.
export const quote = 0x22;
export const colon = 0x3a;
export const comma = 0x2c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
const backslash = 0x5c;

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
    throw new ServiceError('invalid_json', 'The body is not valid UTF-8. Write it in UTF-8.', { cause });
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

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Facts about a JSON value before it is parsed. Its syntax is not checked. */
interface JsonShape {
  readonly depth: number;
  /** Colons outside strings: the number of members, including duplicates. */
  readonly members: number;
  /** Commas and opening brackets outside strings. Empty containers count twice, other values at least once. */
  readonly values: number;
}

const windowBytes = 1 << 20;

/** The shape of the first value in the bytes, or of its beginning with more than `maxValues`. */
export function jsonShape(bytes: Uint8Array, maxValues = Number.POSITIVE_INFINITY): JsonShape {
  let at = 0;
  while (isSpace(bytes[at])) at += 1;
  const value = new ValuePassage();
  while (!value.isEnded && at < bytes.length && value.values <= maxValues)
    at = value.pass(bytes.subarray(0, at + windowBytes), at);
  return { depth: value.deepest, members: value.members, values: value.values };
}

/** Skips the bytes of one value, which can come in several windows. */
export class ValuePassage {
  deepest = 0;
  members = 0;
  values = 0;
  isEnded = false;
  #depth = 0;
  #isInString = false;

  /** @returns the position after the value or the bytes; one more if that byte is escaped. */
  pass(bytes: Uint8Array, from: number): number {
    let depth = this.#depth;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === quote || this.#isInString) {
        at = this.#stringEnd(bytes, this.#isInString ? at : at + 1);
        if (this.#isInString) break;
        if (depth === 0) return this.#ended(at + 1);
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        this.values += 1;
        if (depth > this.deepest) this.deepest = depth;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return this.#ended(at);
        depth -= 1;
        if (depth === 0) return this.#ended(at + 1);
      } else if (byte === colon) {
        this.members += 1;
      } else if (byte === comma && depth > 0) {
        this.values += 1;
      } else if (depth === 0 && (byte === comma || isSpace(byte))) {
        return this.#ended(at);
      }
    }
    this.#depth = depth;
    return at;
  }

  #ended(at: number): number {
    this.isEnded = true;
    return at;
  }

  /** Looks for quotes natively, which is many times faster than a loop over the bytes. */
  #stringEnd(bytes: Uint8Array, from: number): number {
    for (let start = from; ; ) {
      const found = Buffer.prototype.indexOf.call(bytes, quote, start);
      const end = found === -1 ? bytes.length : found;
      const isEscaped = backslashesBefore(bytes, end, start) % 2 === 1;
      this.#isInString = found === -1;
      if (this.#isInString) return isEscaped ? end + 1 : end;
      if (!isEscaped) return end;
      start = end + 1;
    }
  }
}

function backslashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let at = end;
  while (at > start && bytes[at - 1] === backslash) at -= 1;
  return end - at;
}
