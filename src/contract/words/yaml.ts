/** By the codes of the YAML parser. */
const advice: Readonly<Record<string, string>> = {
  MISSING_CHAR: 'A quote, bracket, colon or comma is missing, or the line is not indented like those above.',
  BLOCK_AS_IMPLICIT_KEY: 'It has ": " in it. Put the text in quotes, or write it below |.',
  UNEXPECTED_TOKEN: 'Put the whole text in quotes, or write it below |.',
  TAB_AS_INDENT: 'The line is indented with a tab. Use spaces.',
  MULTIPLE_DOCS: 'A file has one document. Remove ---, or make several files of it.',
  DUPLICATE_KEY: 'A name is there twice. Remove or rename one.',
  BAD_DQ_ESCAPE: 'Double quotes have \\ in front of another sign. Use single quotes.',
};

/** What to do about a fault in YAML. @param code of the parser. */
export function yamlAdvice(code: string): string {
  return advice[code] ?? 'Check quotes, brackets and indentation.';
}
