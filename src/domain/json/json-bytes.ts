// The bytes that structure a JSON text (RFC 8259, 2). All of them are ASCII, so that none is part of another character.

export const quote = 0x22;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const colon = 0x3a;
export const comma = 0x2c;

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
