/** Control characters and characters that change the text direction, except line feeds. */
const unprintable = /(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes untrusted text for a terminal, so that it cannot move the cursor or change earlier output. JSON keeps its
 * meaning.
 */
export function printable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Like `printable`, in one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}
