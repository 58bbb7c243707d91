/** A pair of surrogates, a single one, and any other escape, so that `\\ud83d` is not taken for one. */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gis;

/**
 * JSON in which U+FFFD stands for each half of a character. Programs that cut texts to a length write such halves, which have no
 * form in UTF-8.
 */
export function withWholeCharacters(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  if (!bytes.includes('\\ud') && !bytes.includes('\\uD')) return json;
  const text = bytes
    .toString('latin1')
    .replace(escapes, (all: string, half?: string) => (half ? '\\ufffd' : all));
  return Buffer.from(text, 'latin1');
}
