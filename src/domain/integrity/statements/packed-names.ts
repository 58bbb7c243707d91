/** How answers name a statement. */
export interface StatementName {
  readonly statement_id: string;
  readonly jcs_cid: string;
  readonly rdfc_cid: string;
}

/** Names that stay JSON text until they are iterated over, because most answers only contain them. */
export class PackedNames implements Iterable<StatementName> {
  /** Each is JSON of names, separated by commas and without brackets. */
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = texts.filter((text) => text !== '');
  }

  /** The JSON array of all names. */
  json(): string {
    return `[${this.texts.join()}]`;
  }

  *[Symbol.iterator](): Generator<StatementName> {
    yield* JSON.parse(this.json()) as StatementName[];
  }
}
