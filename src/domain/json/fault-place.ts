import { type ParseError, parse } from 'jsonc-parser';

/** Where a text stops being JSON, as the index of a character. */
export function jsonFaultAt(text: string): number {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  return errors[0]?.offset ?? text.length;
}
