import { isObject, type JsonObject } from '../../json/is-object.ts';

/** A value of a statement that does not affect the meaning of the others. A list has texts, or IRIs, only. */
export type Value = string | number | readonly string[];

export interface ShapedDocument {
  /** Everything but the values that affects the RDF. */
  readonly key: string;
  /** In the order of the text. */
  readonly values: readonly Value[];
}

const depthLimit = 16;
const valuesLimit = 400;
const listLimit = 4_096;
const keyLimit = 8_192;

/** IRIs that a context treats alike, unless it defines one of them as a term. */
export const plainIri = /^(?:urn:|did:|https?:\/\/)[A-Za-z0-9][A-Za-z0-9._~:/?#@!$&'()*+,;=%-]*$/;

/** Keywords whose values are values or objects as those of other members. */
const plainKeywords = new Set(['@id', '@value', '@list', '@set', '@graph']);

/** @returns undefined if the document cannot have a template. */
export function shapeOf(document: JsonObject): ShapedDocument | undefined {
  if (document['@context'] === undefined) return undefined;
  const outline = new Outline();
  return outline.addObject(document, 1) ? outline : undefined;
}

/** The shape as a text. Names and texts come with their lengths, so that different shapes have different texts. */
class Outline implements ShapedDocument {
  key = '';
  readonly values: Value[] = [];

  /** @returns whether the object can have a template. */
  addObject(object: JsonObject, depth: number): boolean {
    this.key += '{';
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (name === '__proto__') return false;
      this.key += `${name.length}:${name}`;
      if (isKept(name, object)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        this.key += `${typeof value === 'string' ? '"' : ''}${text.length}:${text}`;
      } else if ((name.startsWith('@') && !plainKeywords.has(name)) || !this.#add(value, depth)) {
        return false;
      }
    }
    this.key += '}';
    return this.key.length <= keyLimit && this.values.length <= valuesLimit;
  }

  #add(value: unknown, depth: number): boolean {
    const form = formOf(value);
    if (form !== undefined) {
      this.key += form;
      this.values.push(value as Value);
      return true;
    }
    if (typeof value !== 'object' || value === null) {
      this.key += Object.is(value, -0) ? '(-0)' : `(${value})`;
      return true;
    }
    if (depth === depthLimit) return false;
    if (!Array.isArray(value)) return this.addObject(value as JsonObject, depth + 1);
    this.key += '[';
    for (const item of value) if (!this.#add(item, depth + 1)) return false;
    this.key += ']';
    return this.key.length <= keyLimit;
  }
}

/** What matters of a value; undefined for whatever is a part of the shape. */
function formOf(value: unknown): string | undefined {
  if (typeof value === 'string') return plainIri.test(value) ? 'i' : 't';
  if (typeof value === 'number') return numberForm(value);
  if (!Array.isArray(value) || value.length === 0 || value.length > listLimit) return undefined;
  const first = formOf(value[0]);
  const isList =
    first?.length === 1 && value.every((item) => typeof item === 'string' && formOf(item) === first);
  return isList ? `${first}s` : undefined;
}

/** JSON-LD writes whole numbers and fractions differently. jsonld takes those without a point, like 1e-7, for whole. */
function numberForm(value: number): string | undefined {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? undefined : 'n';
  return !Number.isInteger(value) && String(value).includes('.') ? 'f' : undefined;
}

/**
 * Whether a member decides what the others mean. In an object without `@type`, `type` usually stands for it, as in
 * credentials.
 */
function isKept(name: string, object: JsonObject): boolean {
  if (name === 'type') return !Object.hasOwn(object, '@type') && isText(object[name]);
  return name === '@context' || ((name === '@type' || name === '@language') && isText(object[name]));
}

function isText(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => typeof item === 'string');
  return typeof value === 'string';
}

/** The document with others in place of its values. */
export function withValues(document: JsonObject, values: readonly unknown[]): JsonObject {
  let next = 0;
  const copy = (value: unknown): unknown => {
    if (formOf(value) !== undefined) return values[next++];
    if (Array.isArray(value)) return value.map(copy);
    return isObject(value) ? copyMembers(value) : value;
  };
  const copyMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, isKept(name, object) ? value : copy(value)]),
    );
  return copyMembers(document);
}
