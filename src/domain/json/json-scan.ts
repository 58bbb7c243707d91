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

/** What one pass over the bytes of a JSON text tells before it is parsed. Nothing here judges its syntax. */
export interface JsonShape {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Colons outside of strings: the members of all objects, duplicates included. */
  readonly members: number;
}

export function scanJson(bytes: Uint8Array): JsonShape {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    } else if (byte === colon) {
      members += 1;
    }
  }
  return { depth: deepest, members };
}

/** The position of the closing quote of the string that opens at `start`, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(quote, start + 1);
  while (at !== -1) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
    at = bytes.indexOf(quote, at + 1);
  }
  return bytes.length;
}

export interface SplitEnvelope {
  /** The body with the chosen member's content cut out (`null`, or an empty array): small, parsed by the caller. */
  readonly envelope: Uint8Array;
  /** Start and end of each element, in pairs; a single value counts as one element. */
  readonly ranges: readonly number[];
}

/**
 * Finds where the elements of one member of the outermost object begin and end, in one pass and without
 * parsing them, so that their bytes can go to other threads as they are. Whatever is wrong with an element
 * shows when it is parsed. A body without the member comes back whole, without ranges.
 */
export function splitEnvelope(body: Uint8Array, member: string, as: 'elements' | 'value'): SplitEnvelope {
  const start = memberStart(body, member);
  if (start === undefined) return { envelope: body, ranges: [] };
  const isArray = as === 'elements' && body[start] === openBracket;
  if (as === 'elements' && !isArray) return { envelope: body, ranges: [] };
  const ranges: number[] = [];
  const end = isArray ? elementRanges(body, start, ranges) : valueEnd(body, start);
  if (!isArray) ranges.push(start, end);
  const hole = new TextEncoder().encode(isArray ? '[]' : 'null');
  const envelope = new Uint8Array(start + hole.length + body.length - end);
  envelope.set(body.subarray(0, start));
  envelope.set(hole, start);
  envelope.set(body.subarray(end), start + hole.length);
  return { envelope, ranges };
}

/** Where the value of the outermost object's member begins. */
function memberStart(body: Uint8Array, member: string): number | undefined {
  let depth = 0;
  let key: string | undefined;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfString(body, at);
      if (depth === 1) key = keyText(body.subarray(at, end + 1));
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    } else if (byte === comma) {
      key = undefined;
    } else if (byte === colon && depth === 1 && key === member) {
      return skipSpace(body, at + 1);
    }
  }
  return undefined;
}

function keyText(token: Uint8Array): string | undefined {
  try {
    return JSON.parse(Buffer.from(token).toString()) as string;
  } catch {
    return undefined;
  }
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(body[at])) at += 1;
  return at;
}

/** The end of the value that begins at `start`: where its nesting closes, or the next separator outside of it. */
function valueEnd(body: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfString(body, at);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === comma && depth === 0) {
      return at;
    }
  }
  return body.length;
}

/** Fills `ranges` with the elements of the array that opens at `start`; returns the position after its end. */
function elementRanges(body: Uint8Array, start: number, ranges: number[]): number {
  let at = skipSpace(body, start + 1);
  if (body[at] === closeBracket) return at + 1;
  while (at < body.length) {
    const end = valueEnd(body, at);
    ranges.push(at, end);
    if (body[end] !== comma) return Math.min(end + 1, body.length);
    at = skipSpace(body, end + 1);
  }
  ranges.push(at, at);
  return at;
}
