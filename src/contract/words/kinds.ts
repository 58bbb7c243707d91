/** How pages show the kinds of statements. The server writes it into each page that needs it. */
export interface ShownKinds {
  readonly kinds: Readonly<Record<string, ShownKind>>;
  /** What edges of a lineage mean. */
  readonly edges: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, ShownRole>>;
}

export interface ShownKind {
  readonly label: string;
  readonly symbol?: string | undefined;
  /** A sentence with the names of members in braces. */
  readonly reads: string;
  /** What other sentences call it; undefined for its sentence in quotes. */
  readonly called?: string | undefined;
  /** The sentence for a statement with a `type`. */
  readonly readsByType: Readonly<Record<string, string>>;
  readonly members: Readonly<
    Record<string, { readonly meaning: string; readonly document?: string | undefined }>
  >;
}

interface ShownRole {
  readonly word?: string | undefined;
  readonly document?: { readonly end: 'from' | 'to'; readonly title: string } | undefined;
}

/** Fills in the names in braces of a sentence. */
export function filled<Part>(sentence: string, part: (name: string) => Part): (string | Part)[] {
  return sentence
    .split(/\{([\w|]+)\}/)
    .map((text, at) => (at % 2 === 1 ? part(text) : text))
    .filter((one) => one !== '');
}
