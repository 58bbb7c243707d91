import type { z } from 'zod';
import { jsonPointer } from './strict-json.ts';

/** A place in a value that its schema refuses, in words. */
export interface ShapeProblem {
  /** RFC 6901. */
  readonly pointer: string;
  /** The place as people write it: `input[0]`. Empty for the whole value. */
  readonly name: string;
  readonly isMissing: boolean;
  /** Follows the name in a sentence: `must be a DID`. */
  readonly words: string;
}

/** The problems of a value, in plain words unless the schema has its own. */
export function shapeProblems(schema: z.ZodType, value: unknown): ShapeProblem[] {
  const { error } = schema.safeParse(value, { error: plainWords });
  return (error?.issues ?? []).map(({ path, message }) => ({
    pointer: jsonPointer(path),
    name: path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
      .join('')
      .slice(1),
    isMissing: path.length > 0 && valueAt(value, path) === undefined,
    words: message,
  }));
}

export function reasonOf({ isMissing, words }: Pick<ShapeProblem, 'isMissing' | 'words'>): string {
  return isMissing ? `is missing; it ${words}` : words;
}

/** `a, b and c`. */
export function wordList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** What a schema says of a value that it refuses. The words follow a name in a sentence. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return `must be ${issue.format === 'uuid' ? 'a UUID' : issue.format}`;
    case 'invalid_union':
      return 'has none of the accepted forms';
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys
        .slice(0, 10)
        .map((key) => `"${key.slice(0, 50)}"`)
        .join(', ')}`;
    case 'invalid_key':
      return 'has a name that is not accepted';
    case 'custom':
      return 'is not accepted';
    case 'too_small':
      return `must ${bound(issue.origin)} at least ${amount(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin)} at most ${amount(issue.origin, issue.maximum)}`;
    default:
      return undefined;
  }
};

const countable: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function bound(origin: string): string {
  return origin in countable ? 'have' : 'be';
}

function amount(origin: string, limit: number | bigint): string {
  const unit = countable[origin];
  return unit === undefined ? String(limit) : `${limit} ${unit}${limit === 1 ? '' : 's'}`;
}
