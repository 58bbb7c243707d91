import { type Document, isScalar, LineCounter, parseDocument, type Scalar, visit, type YAMLMap } from 'yaml';

/** What makes a text no policy before its members are looked at. */
export interface YamlFault {
  readonly code: 'not_readable' | 'has_aliases' | 'said_twice' | 'not_json';
  /** The text that cannot be read. */
  readonly found: string;
  /** The parser's code. */
  readonly nearest?: string;
  readonly offset: number;
}

export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

/** Parses YAML that JSON can hold, without aliases. @param most faults of the parser that are looked at. */
export function parsedYaml(text: string, most: number): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.2',
    // Neither a directive nor a tag makes a value that JSON has not.
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    // The parser compares each key with all others.
    uniqueKeys: false,
  });
  const faults: YamlFault[] = [];
  const add = (range: Scalar['range'], fault: Omit<YamlFault, 'offset'>) => {
    faults.push({ ...fault, offset: range?.[0] ?? 0 });
  };
  for (const { code: nearest, pos } of document.errors.slice(0, most)) {
    const [found = ''] = /.*/.exec(text.slice(pos[0], pos[0] + foundLimit)) ?? [];
    faults.push({ code: 'not_readable', found: found.trim(), nearest, offset: pos[0] });
  }
  visit(document, {
    Alias: (_, { source: found, range }) => add(range, { code: 'has_aliases', found }),
    Map: (_, map) => {
      for (const { value, range } of repeatedKeys(map))
        add(range, { code: 'said_twice', found: String(value) });
    },
    Scalar: (_, { value, range }) => {
      if (!isJson(value))
        add(range, { code: 'not_json', found: text.slice(range?.[0], range?.[1]).slice(0, foundLimit) });
    },
  });
  return { document, lines, faults };
}

/** How much of a text is shown. */
export const foundLimit = 200;

function repeatedKeys({ items }: YAMLMap): Scalar[] {
  const keys = items.map(({ key }) => key).filter(isScalar);
  const seen = new Set<unknown>();
  return keys.filter(({ value }) => seen.size === seen.add(value).size);
}

/** Whether JSON can have it, so that it has a CID. */
function isJson(value: unknown): boolean {
  return typeof value === 'string'
    ? value.isWellFormed()
    : typeof value !== 'number' || Number.isFinite(value);
}
