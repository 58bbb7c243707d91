import { fromBase64, toBase64 } from '../../base64.ts';
import { quoted, refuse } from '../proof-error.ts';

/** A text with signature lines (c2sp.org/signed-note). */
export interface Note {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  readonly signature: Uint8Array;
  /** The line without its newline. */
  readonly line: string;
}

const mostBytes = 1_000_000;
const mostSignatures = 100;
const keyIdSize = 4;
const lineStart = '— ';

/** @throws LogProofError `malformed`, `too_large` */
export function parseNote(input: Uint8Array | string): Note {
  const whole = textOf(input);
  const at = whole.lastIndexOf('\n\n');
  if (at < 0) return refuse('malformed', 'The note has no empty line between its text and its signatures.');
  const [text, block] = [whole.slice(0, at + 1), whole.slice(at + 2)];
  if (!block.endsWith('\n'))
    refuse('malformed', 'The note does not end with a signature line and a newline.');
  const lines = block.slice(0, -1).split('\n', mostSignatures + 1);
  if (lines.length > mostSignatures)
    refuse('too_large', `The note has more than ${mostSignatures} signatures.`);
  return { text, signatures: lines.map(parseSignature) };
}

/** The text of a note, or of another document of lines. @throws LogProofError `malformed`, `too_large` */
export function textOf(input: Uint8Array | string, most = mostBytes): string {
  // A character of a string has at least one byte.
  if (input.length > most) refuse('too_large', `The text has more than ${most} bytes.`);
  const text = typeof input === 'string' ? input : utf8(input);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (!text.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(text))
    refuse('malformed', 'The text has a control character or a lone surrogate.');
  return text;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('malformed', 'The text is not UTF-8.');
  }
}

/** @throws LogProofError `malformed` */
export function parseSignature(line: string): NoteSignature {
  const [name = '', base64 = '', ...more] = line.startsWith(lineStart)
    ? line.slice(lineStart.length).split(' ')
    : [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= keyIdSize || more.length > 0)
    return refuse('malformed', `${quoted(line)} is no signature line, which is "— name base64".`);
  const keyId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return { name, keyId, signature: bytes.subarray(keyIdSize), line };
}

export function formatSignature(name: string, keyId: number, signature: Uint8Array): string {
  const bytes = new Uint8Array(keyIdSize + signature.length);
  new DataView(bytes.buffer).setUint32(0, keyId);
  bytes.set(signature, keyIdSize);
  return `${lineStart}${name} ${toBase64(bytes)}`;
}

/** @param lines signature lines without newlines. */
export function formatNote(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.map((line) => `${line}\n`).join('')}`;
}

export function isKeyName(name: string): boolean {
  return name !== '' && !/[\p{White_Space}+]/u.test(name) && textIsPlain(name);
}

function textIsPlain(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return name.isWellFormed() && !/[\0-\x1f]/.test(name);
}
