import {
  type Document,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';

/** What makes a text no policy before its members are looked at. */
export interface YamlFault {
  readonly code: 'not_readable' | 'has_aliases' | 'has_tag' | 'said_twice' | 'not_json';
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
  const tags: YamlFault[] = [];
  const add = (range: Scalar['range'], fault: Omit<YamlFault, 'offset'>) => {
    faults.push({ ...fault, offset: range?.[0] ?? 0 });
  };
  for (const { code: nearest, pos } of document.errors.slice(0, most)) {
    const [found = ''] = /.*/.exec(text.slice(pos[0], pos[0] + foundLimit)) ?? [];
    faults.push({ code: 'not_readable', found: found.trim(), nearest, offset: pos[0] });
  }
  const noteTag = ({ tag = core, range }: Pick<Node, 'tag' | 'range'>) => {
    if (tag.startsWith(core)) return;
    // The range of a node begins behind its tag.
    const offset = text.lastIndexOf(tag, range?.[0]);
    const [found = tag] = /^.*/.exec(text.slice(offset, offset + foundLimit)) ?? [];
    tags.push({ code: 'has_tag', found: found.trim(), offset });
  };
  visit(document, {
    Alias: (_, { source: found, range }) => add(range, { code: 'has_aliases', found }),
    Seq: (_, list) => noteTag(list),
    Map: (_, map) => {
      noteTag(map);
      for (const { value, range } of repeatedKeys(map))
        add(range, { code: 'said_twice', found: String(value) });
    },
    Scalar: (_, scalar) => {
      noteTag(scalar);
      const { value, range } = scalar;
      if (!isJson(value))
        add(range, { code: 'not_json', found: text.slice(range?.[0], range?.[1]).slice(0, foundLimit) });
    },
  });
  // What the parser says of the text behind a tag follows from the tag.
  return { document, lines, faults: tags.length > 0 ? tags : faults };
}

/** The tags of what JSON has. A text that begins with ! has another one, and lacks what stands in it. */
const core = 'tag:yaml.org,2002:';

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
