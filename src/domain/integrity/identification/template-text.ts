import { isObject, type JsonObject } from '../../json/is-object.ts';
import { type Value, withValues } from './template-shape.ts';

/** RFC 8785 text with gaps: the indexes of values, or `id` for the `@id`. */
export type TextTemplate = readonly (string | Gap)[];

class Gap {
  readonly at: number | 'id';

  constructor(at: number | 'id') {
    this.at = at;
  }
}

/** What all documents of a shape have in common in their canonical text, with an `@id`. */
export function textTemplate(document: JsonObject, values: readonly Value[]): TextTemplate {
  const gaps = values.map((_, at) => new Gap(at));
  return mergedTexts(textParts({ ...withValues(document, gaps), '@id': new Gap('id') }));
}

/** The canonical text of a document without lone surrogates. */
export function filledText(template: TextTemplate, values: readonly Value[], id: string): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else text += JSON.stringify(part.at === 'id' ? id : values[part.at]);
  }
  return text;
}

function textParts(value: unknown): (string | Gap)[] {
  if (value instanceof Gap) return [value];
  if (Array.isArray(value)) return ['[', ...listed(value.map(textParts)), ']'];
  if (!isObject(value)) return [JSON.stringify(value)];
  const names = Object.keys(value).sort();
  return ['{', ...listed(names.map((name) => [JSON.stringify(name), ':', ...textParts(value[name])])), '}'];
}

function listed(items: readonly (string | Gap)[][]): (string | Gap)[] {
  return items.flatMap((item, at) => (at > 0 ? [',', ...item] : item));
}

/** The parts of a template, with neighbouring texts as one. */
export function mergedTexts<Gap>(parts: readonly (string | Gap)[]): (string | Gap)[] {
  const all: (string | Gap)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}
