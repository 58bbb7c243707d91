import { ServiceError } from '../errors.ts';
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  decodeUtf8,
  isSpace,
  openBrace,
  openBracket,
  quote,
  ValuePassage,
} from './strict-json.ts';

/** The positions of the first byte of a JSON value and after its last byte. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember extends JsonSlice {
  readonly key: string;
  /** The value with the white space around it: from the colon to the comma or brace after it. */
  readonly outer: JsonSlice;
}

/** The position from which a walk needs more bytes. */
type Needed = number;

const keyBytes = 1 << 16;

/**
 * Walks over the members of one object or the elements of one array without parsing the values. A walk yields a
 * number when it needs the bytes from that position; the caller adds them and continues.
 * @throws ServiceError `invalid_json` with the position of the problem.
 */
export class JsonCursor {
  readonly #end: number;
  #window: Uint8Array;
  #start: number;
  /**
   * The position in the window. It can be one byte after the window, because an escaped character is skipped unseen.
   */
  #index = 0;

  /** @param window the bytes of the slice that are in memory. */
  constructor({ start, end }: JsonSlice, window: Uint8Array = new Uint8Array()) {
    this.#start = start;
    this.#end = end;
    this.#window = window;
  }

  add(bytes: Uint8Array): void {
    this.#window = this.#window.length === 0 ? bytes : Buffer.concat([this.#window, bytes]);
  }

  /** Members of the object, with only white space around it. */
  *outermost(): Generator<JsonMember | Needed, void> {
    yield* this.members();
    if ((yield* this.#nextByte()) !== undefined) fail(this.#at, 'nothing may follow the outermost object');
  }

  /** Elements of the array, with only white space around it. */
  *outermostElements(): Generator<JsonSlice | Needed, void> {
    yield* this.elements();
    if ((yield* this.#nextByte()) !== undefined) fail(this.#at, 'nothing may follow the array');
  }

  *members(): Generator<JsonMember | Needed, void> {
    yield* this.#expect(openBrace, 'an object');
    if (yield* this.#skip(closeBrace)) return;
    for (;;) {
      const key = yield* this.#key();
      yield* this.#expect(colon, 'a colon');
      const start = this.#at;
      const value = yield* this.#value();
      yield* this.#nextByte();
      yield { key, ...value, outer: { start, end: this.#at } };
      if (yield* this.#skip(closeBrace)) return;
      yield* this.#expect(comma, 'a comma or the end of the object');
    }
  }

  *elements(): Generator<JsonSlice | Needed, void> {
    yield* this.#expect(openBracket, 'an array');
    if (yield* this.#skip(closeBracket)) return;
    for (;;) {
      yield yield* this.#value();
      if (yield* this.#skip(closeBracket)) return;
      yield* this.#expect(comma, 'a comma or the end of the array');
    }
  }

  get #at(): number {
    return this.#start + this.#index;
  }

  *#key(): Generator<Needed, string> {
    if ((yield* this.#nextByte()) !== quote) fail(this.#at, 'a key is missing');
    const { start, end } = yield* this.#value(keyBytes);
    const text = keyText(this.#window.subarray(start - this.#start, end - this.#start));
    return text ?? fail(start, 'a key is not a JSON string of well-formed Unicode');
  }

  /** @param most limit for the bytes of the value, which then stays in the window. */
  *#value(most?: number): Generator<Needed, JsonSlice> {
    if ((yield* this.#nextByte()) === undefined) fail(this.#at, 'the JSON ends too early');
    const start = this.#at;
    const value = new ValuePassage();
    for (;;) {
      this.#index = value.pass(this.#window, this.#index);
      if (most !== undefined && this.#at - start > most) fail(start, `a key has more than ${most} bytes`);
      if (value.isEnded) break;
      const kept = most === undefined ? this.#index : start - this.#start;
      if (!(yield* this.#more(kept))) fail(start, 'a value does not end');
    }
    if (this.#at === start) fail(start, 'a value is missing');
    return { start, end: this.#at };
  }

  *#expect(byte: number, what: string): Generator<Needed, void> {
    if (!(yield* this.#skip(byte))) fail(this.#at, `${what} is missing`);
  }

  /** Skips the next byte that is not white space, if it is this one. */
  *#skip(byte: number): Generator<Needed, boolean> {
    const isNext = (yield* this.#nextByte()) === byte;
    if (isNext) this.#index += 1;
    return isNext;
  }

  /** The next byte that is not white space; undefined at the end. */
  *#nextByte(): Generator<Needed, number | undefined> {
    for (;;) {
      while (isSpace(this.#window[this.#index])) this.#index += 1;
      if (this.#index < this.#window.length) return this.#window[this.#index];
      if (!(yield* this.#more(this.#index))) return undefined;
    }
  }

  /** Asks for the bytes after the window, and drops those before `kept`. */
  *#more(kept: number): Generator<Needed, boolean> {
    const needed = this.#start + this.#window.length;
    if (needed >= this.#end) return false;
    const dropped = Math.min(kept, this.#window.length);
    this.#window = this.#window.subarray(dropped);
    this.#start += dropped;
    this.#index -= dropped;
    yield needed;
    return this.#start + this.#window.length > needed;
  }
}

function keyText(bytes: Uint8Array): string | undefined {
  try {
    const key = JSON.parse(decodeUtf8(bytes)) as string;
    return key.isWellFormed() ? key : undefined;
  } catch {
    return undefined;
  }
}

function fail(at: number, reason: string): never {
  throw new ServiceError('invalid_json', `The JSON is broken at byte ${at}: ${reason}.`);
}
