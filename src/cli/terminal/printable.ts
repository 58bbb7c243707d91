/** What terminals act on instead of showing it, and what turns the direction of text: all but the ends of lines. */
const unprintable = /(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text of somebody else's making, for a terminal: nothing of it moves the cursor or changes what was printed before.
 * JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
