import { isObject } from '../../json/is-object.ts';

export type FlatValue = string | readonly string[];
/** The values of a statement by their place: the names on the way to it. */
export type Values = Readonly<Record<string, FlatValue>>;

export interface ShapedStatement {
  /** Everything but the values that affects the RDF. */
  readonly key: string;
  readonly values: Values;
  /** The places of contexts and types. */
  readonly kept: ReadonlySet<string>;
  readonly isNested: boolean;
}

const arrayLimit = 4_096;
const depthLimit = 4;
/** Between the names of a place. Statements with it in a name have no template. */
export const separator = '\n';

/** IRIs that a context treats alike, unless it defines one of them as a term. */
export const plainIri = /^(?:urn|did):[A-Za-z0-9][A-Za-z0-9._~:%-]*$/;

function isFlatValue(value: unknown): value is FlatValue {
  if (typeof value === 'string') return true;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= arrayLimit &&
    value.every((item) => typeof item === 'string')
  );
}

/** @returns undefined if the statement is not simple. */
export function shapeOf(document: Readonly<Record<string, unknown>>): ShapedStatement | undefined {
  if (!isFlatValue(document['@context'])) return undefined;
  const parts: unknown[] = [];
  const values: Record<string, FlatValue> = {};
  const kept = new Set<string>();
  let isNested = false;
  const add = (object: object, before: string, depth: number): boolean => {
    for (const [name, value] of Object.entries(object)) {
      if (name === '__proto__' || name.includes(separator)) return false;
      const place = before + name;
      if (isKept(name, object) && isFlatValue(value)) {
        kept.add(place);
        parts.push(place, [value]);
        values[place] = value;
        continue;
      }
      if (name.startsWith('@')) return false;
      if (isFlatValue(value)) {
        const form = formOf(value);
        if (form === undefined) return false;
        parts.push(place, form);
        values[place] = value;
        continue;
      }
      if (!isObject(value) || depth === depthLimit) return false;
      isNested = true;
      parts.push(place, {});
      if (!add(value, place + separator, depth + 1)) return false;
    }
    return true;
  };
  return add(document, '', 1) ? { key: JSON.stringify(parts), values, kept, isNested } : undefined;
}

/** What matters of a value; undefined for values that have no template. */
function formOf(value: FlatValue): string | undefined {
  const items = typeof value === 'string' ? [value] : value;
  const iris = items.filter((item) => plainIri.test(item)).length;
  if (iris !== 0 && iris !== items.length) return undefined;
  return `${iris > 0 ? 'iri' : 'text'}${Array.isArray(value) ? 's' : ''}`;
}

/**
 * Whether a member decides what the others mean. In an object without `@type`, `type` usually stands for it, as in
 * credentials.
 */
function isKept(name: string, object: object): boolean {
  if (name === 'type') return !Object.hasOwn(object, '@type');
  return name === '@context' || name === '@type';
}
