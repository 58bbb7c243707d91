import { isObject, type JsonObject } from '../../json/is-object.ts';

/** Larger documents have no name. */
export const documentLimit = 1 << 16;
/** Longer names are cut, in characters. */
export const nameLimit = 200;

/** Members of a document that may contain a name, the best first. */
const members = ['name', 'title', 'label', 'path', 'filename', 'step'];

/** Members of documents in formats of their own, such as SPDX, whose name is that of the document. */
const formatMembers = [
  'spdxVersion',
  'SPDXID',
  'bomFormat',
  '$schema',
  '_type',
  'predicateType',
  'schemaVersion',
];

/** The name that metadata gives its subject; undefined if it has none. */
export function subjectNameIn(bytes: Uint8Array): string | undefined {
  const document = parsedDocument(bytes);
  if (!isObject(document) || formatMembers.some((member) => Object.hasOwn(document, member)))
    return undefined;
  return nameIn(document);
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
function shownName(text: string): string {
  const line = text
    .slice(0, 10 * nameLimit)
    .toWellFormed()
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
  return cut(line.trim()).trim();
}

function cut(text: string): string {
  return [...text].slice(0, nameLimit).join('');
}

/** The JSON value of a small document; undefined if it is none. */
export function parsedDocument(bytes: Uint8Array): unknown {
  if (bytes.length > documentLimit || !mayBeObject(bytes)) return undefined;
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
