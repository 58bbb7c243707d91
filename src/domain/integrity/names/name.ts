import { isObject, type JsonObject } from '../../json/is-object.ts';
import { jsonShape } from '../../json/strict-json.ts';
import { cidIn, codecs } from '../identifiers/cid.ts';

/** Larger documents have no name. */
export const documentLimit = 1 << 16;
/** Longer names are cut, in characters. */
export const nameLimit = 200;

/** Members of a document that may contain a name, the best first. */
const members = ['name', 'title', 'label', 'path', 'filename', 'step'];

/** A name for the subject of metadata. */
export interface SubjectName {
  readonly name: string;
  /** Whether it counts in a file, too: all members are texts, numbers, booleans, or lists of these. */
  readonly isPlain: boolean;
}

/**
 * The name that metadata gives its subject; undefined if the document is not about naming. A document in a format of its
 * own, such as an SPDX file, has the name of the document.
 */
export function subjectNameIn(bytes: Uint8Array): SubjectName | undefined {
  const document = parsedDocument(bytes);
  return isObject(document) ? subjectName(document) : undefined;
}

export function subjectName(document: JsonObject): SubjectName | undefined {
  const name = nameIn(document);
  if (name === undefined || hasFormat(document)) return undefined;
  const values = Object.values(document).flat();
  return { name, isPlain: values.every((value) => typeof value !== 'object' || value === null) };
}

/** The name that a document gives a subject which refers to it as this identifier. */
export function nameFor(document: string, found: SubjectName | undefined): string | undefined {
  return found?.isPlain || cidIn(document)?.codec === codecs.jcs ? found?.name : undefined;
}

/** Formats say which they are: `@context`, `$schema`, `_type`, `spdxVersion`, `bomFormat`. */
const formatMember = /^[$@_]|[a-z](?:Version|Format)$/;

/** What is said about a run has any members that its user likes. */
function hasFormat(document: JsonObject): boolean {
  const isRun = typeof document.started === 'string' && typeof document.duration === 'number';
  return !isRun && Object.keys(document).some((member) => formatMember.test(member));
}

/** The name that a JSON document has in itself; undefined if it has none. */
export function nameInDocument(bytes: Uint8Array): string | undefined {
  const document = parsedDocument(bytes);
  return isObject(document) ? nameIn(document) : undefined;
}

export function nameIn(document: JsonObject): string | undefined {
  for (const member of members) {
    const value = document[member];
    const name = typeof value === 'string' ? shownName(value) : '';
    if (name !== '') return name;
  }
  return undefined;
}

/** Names are compared in this form, so that case and width do not matter. */
export function foldedName(name: string): string {
  return cut(name.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ'));
}

/** One line of text that does not change the direction of the text around it. */
export function shownName(text: string): string {
  const line = text
    .slice(0, 10 * nameLimit)
    .toWellFormed()
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
  return cut(line.trim()).trim();
}

function cut(text: string): string {
  return text.length <= nameLimit ? text : [...text].slice(0, nameLimit).join('');
}

/** As deep as JSON may be that callers send. Whoever writes a deeper value again has no stack left. */
const deepest = 256;

/** The JSON value of a small document; undefined if it is none. */
export function parsedDocument(bytes: Uint8Array, limit = documentLimit): unknown {
  if (bytes.length > limit || !mayBeObject(bytes)) return undefined;
  if (jsonShape(bytes).depth > deepest) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const whitespace = new Set([...Buffer.from(' \t\r\n')]);

/** Whether bytes start like a JSON object. */
export function mayBeObject(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !whitespace.has(byte));
  return first === undefined || first === 0x7b;
}
