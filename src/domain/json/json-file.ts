import { ServiceError } from '../errors.ts';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isSpace,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts';
import type { RandomAccess } from './random-access.ts';
import { decodeUtf8 } from './strict-json.ts';

/** Where a JSON value stands: the position of its first byte, and that after its last. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember extends JsonSlice {
  readonly key: string;
  /** With the space around the value, from the colon to what ends the member. */
  readonly outer: JsonSlice;
}

const windowBytes = 1 << 20;
const keyBytes = 1 << 16;
/** Strings up to here are read byte by byte, which is faster than a search for most of them. */
const shortString = 128;

/**
 * Walks over JSON that is too large for memory: tells where the members of an object, or the elements of an array,
 * begin and end. What is inside of them is judged by whoever parses them; what stands between them is checked here.
 * @throws ServiceError `invalid_json` with the position of the problem.
 */
export class JsonFile {
  readonly #file: RandomAccess;

  constructor(file: RandomAccess) {
    this.#file = file;
  }

  /** Members of the object that the whole is, with nothing but space around it. */
  async *outermost(): AsyncGenerator<JsonMember> {
    const cursor = new Cursor(this.#file, 0, this.#file.size);
    yield* membersAt(cursor);
    if ((await cursor.nextByte()) !== undefined) refuse(cursor.at, 'nothing may follow the outermost object');
  }

  /** Members of an object, in their order, whatever their keys. */
  async *members({ start, end }: JsonSlice): AsyncGenerator<JsonMember> {
    yield* membersAt(new Cursor(this.#file, start, end));
  }

  /** Elements of an array, in their order. */
  async *elements({ start, end }: JsonSlice): AsyncGenerator<JsonSlice> {
    const cursor = new Cursor(this.#file, start, end);
    await cursor.expect(openBracket, 'an array');
    if ((await cursor.nextByte()) === closeBracket) return;
    for (;;) {
      yield await value(cursor);
      if ((await cursor.nextByte()) === closeBracket) return;
      await cursor.expect(comma, 'a comma or the end of the array');
    }
  }

  async bytes({ start, end }: JsonSlice): Promise<Uint8Array> {
    return await this.#file.read(start, end - start);
  }
}

async function* membersAt(cursor: Cursor): AsyncGenerator<JsonMember> {
  await cursor.expect(openBrace, 'an object');
  if ((await cursor.nextByte()) === closeBrace) return cursor.pass();
  for (;;) {
    const key = await keyAt(cursor);
    await cursor.expect(colon, 'a colon');
    const from = cursor.at;
    const slice = await value(cursor);
    const next = await cursor.nextByte();
    yield { key, ...slice, outer: { start: from, end: cursor.at } };
    if (next === closeBrace) return cursor.pass();
    await cursor.expect(comma, 'a comma or the end of the object');
  }
}

async function keyAt(cursor: Cursor): Promise<string> {
  if ((await cursor.nextByte()) !== quote) refuse(cursor.at, 'a key is missing');
  const { start, end } = await value(cursor);
  if (end - start > keyBytes) refuse(start, `a key has more than ${keyBytes} bytes`);
  const key = keyText(await cursor.bytes(start, end));
  if (key === undefined) refuse(start, 'a key is no JSON string of well-formed Unicode');
  return key;
}

function keyText(bytes: Uint8Array): string | undefined {
  try {
    const key = JSON.parse(decodeUtf8(bytes)) as string;
    return key.isWellFormed() ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The value that begins after any space. */
async function value(cursor: Cursor): Promise<JsonSlice> {
  const first = await cursor.nextByte();
  const start = cursor.at;
  if (first === undefined) refuse(start, 'the JSON ends too early');
  const end = new ValueEnd(first);
  while (!end.isFound) {
    if (!(await cursor.load())) refuse(start, 'a value does not end');
    cursor.at += end.scan(cursor.window);
  }
  if (cursor.at === start) refuse(start, 'a value is missing');
  return { start, end: cursor.at };
}

/** Finds the end of a value in windows that follow each other. */
class ValueEnd {
  /** Numbers and literals end where something else begins. */
  readonly #isBare: boolean;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  isFound = false;

  constructor(first: number) {
    this.#isBare = first !== quote && first !== openBrace && first !== openBracket;
  }

  /** How many of these bytes belong to the value. */
  scan(bytes: Uint8Array): number {
    if (this.#isBare) return this.#scanBare(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#isInString) {
        at = this.#stringEnd(bytes, at);
        if (at === bytes.length) return at;
        this.#isInString = false;
      } else {
        const byte = bytes[at];
        if (byte === quote) {
          this.#isInString = true;
          continue;
        }
        if (byte === openBrace || byte === openBracket) this.#depth += 1;
        else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
        else continue;
      }
      if (this.#depth > 0) continue;
      this.isFound = true;
      return at + 1;
    }
    return bytes.length;
  }

  #scanBare(bytes: Uint8Array): number {
    const end = bytes.findIndex(
      (byte) => byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte),
    );
    this.isFound = end !== -1;
    return this.isFound ? end : bytes.length;
  }

  /** The position of the closing quote, or the end of the bytes. */
  #stringEnd(bytes: Uint8Array, from: number): number {
    const until = Math.min(from + shortString, bytes.length);
    for (let at = this.#isEscaped ? from + 1 : from; at < until; at += 1) {
      const byte = bytes[at];
      if (byte === backslash) at += 1;
      else if (byte === quote) return this.#found(at);
    }
    return this.#longStringEnd(bytes, from);
  }

  #found(at: number): number {
    this.#isEscaped = false;
    return at;
  }

  #longStringEnd(bytes: Uint8Array, from: number): number {
    let start = this.#isEscaped ? from + 1 : from;
    if (start > bytes.length) return bytes.length;
    this.#isEscaped = false;
    for (;;) {
      const found = bytes.indexOf(quote, start);
      const end = found === -1 ? bytes.length : found;
      let slashes = 0;
      while (end - slashes > start && bytes[end - 1 - slashes] === backslash) slashes += 1;
      const isEscaped = slashes % 2 === 1;
      if (found === -1) this.#isEscaped = isEscaped;
      if (found === -1 || !isEscaped) return end;
      start = found + 1;
    }
  }
}

/** A position in the file, with a window of bytes that moves along. */
class Cursor {
  readonly #file: RandomAccess;
  readonly #end: number;
  #start: number;
  #bytes: Uint8Array = new Uint8Array();
  at: number;

  constructor(file: RandomAccess, at: number, end: number) {
    this.#file = file;
    this.#end = end;
    this.#start = at;
    this.at = at;
  }

  /** The bytes from `at` on that are here. */
  get window(): Uint8Array {
    return this.#bytes.subarray(this.at - this.#start);
  }

  /** Makes sure that there is a byte in the window; false at the end. */
  async load(): Promise<boolean> {
    if (this.at < this.#start + this.#bytes.length) return true;
    if (this.at >= this.#end) return false;
    this.#bytes = await this.#file.read(this.at, Math.min(windowBytes, this.#end - this.at));
    this.#start = this.at;
    return this.#bytes.length > 0;
  }

  /** Goes to the next byte that is no space, and tells it; undefined at the end. */
  async nextByte(): Promise<number | undefined> {
    for (;;) {
      for (let index = this.at - this.#start; index < this.#bytes.length; index += 1) {
        const byte = this.#bytes[index];
        if (isSpace(byte)) continue;
        this.at = this.#start + index;
        return byte;
      }
      this.at = Math.max(this.at, this.#start + this.#bytes.length);
      if (!(await this.load())) return undefined;
    }
  }

  /** Bytes that were passed, most likely still in the window. */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    if (start >= this.#start) return this.#bytes.subarray(start - this.#start, end - this.#start);
    return await this.#file.read(start, end - start);
  }

  pass(): void {
    this.at += 1;
  }

  async expect(byte: number, what: string): Promise<void> {
    if ((await this.nextByte()) !== byte) refuse(this.at, `${what} is missing`);
    this.at += 1;
  }
}

function refuse(at: number, reason: string): never {
  throw new ServiceError('invalid_json', `The JSON is broken at byte ${at}: ${reason}.`);
}
