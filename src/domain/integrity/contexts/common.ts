import common from './published/common.json' with { type: 'json' };

interface CommonContext {
  readonly cid: string;
  /** The CID of the context that this one adds terms to. */
  readonly extends?: string;
  /** The terms in their order. Between those of one entry, separated by spaces, the document has no empty line. */
  readonly terms: readonly string[];
  readonly endsWithEmptyLine?: boolean;
}

/** What a term means, by its name. A number behind # tells the definitions of one term apart. */
const definitions: Readonly<Record<string, object>> = common.terms;

/**
 * The versions of the public common context, by URL, that clients of this API write in their statements without ever sending
 * them. They are addressed by their bytes, so the table of terms gives these again with each space.
 */
export const commonContexts: ReadonlyMap<string, string> = new Map(
  common.contexts.map((context: CommonContext) => [`urn:cid:${context.cid}`, textOf(context)]),
);

function textOf({ extends: base, terms, endsWithEmptyLine }: CommonContext): string {
  const groups = terms.map((group) => group.split(' '));
  const named = groups.flat().map((name) => [termOf(name), definitions[name]] as const);
  const added = { '@protected': true, ...Object.fromEntries(named) };
  const context = base === undefined ? added : [`urn:cid:${base}`, added];
  const indent = ' '.repeat(base === undefined ? 8 : 12);
  let text = `${JSON.stringify({ '@context': context }, null, 4)}\n${endsWithEmptyLine ? '\n' : ''}`;
  for (const [first = ''] of groups) text = text.replace(`\n${indent}"${termOf(first)}"`, '\n$&');
  return text;
}

function termOf(name: string): string {
  return name.split('#')[0] ?? '';
}
