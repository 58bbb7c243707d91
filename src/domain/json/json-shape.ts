// The bytes that structure a JSON text (RFC 8259, section 2). All of them are ASCII, so none is part of another character.
export const quote = 0x22;
export const colon = 0x3a;
export const comma = 0x2c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
const backslash = 0x5c;

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Facts about a JSON value before it is parsed. Its syntax is not checked. */
export interface JsonShape {
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
