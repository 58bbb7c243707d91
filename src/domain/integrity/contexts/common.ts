import { termsIri } from '../kinds/kind.ts';
import computeTerms from './published/common-compute-terms.json' with { type: 'json' };
import contexts from './published/common-contexts.json' with { type: 'json' };
import statementTerms from './published/common-statement-terms.json' with { type: 'json' };

interface CommonContext {
  readonly cid: string;
  /** The CID of the context that this one adds terms to. */
  readonly extends?: string;
  /** The names of the terms. The document has an empty line where a comma stands. */
  readonly terms: string;
  readonly endsWithEmptyLine?: boolean;
}

/** A term: its type, or its type and other keywords and the terms inside it. Its `@id` follows from its name unless given. */
type Term = string | { readonly [name: string]: Term };

/** A number behind # tells the definitions of one term apart. */
const definitions: Readonly<Record<string, Term>> = { ...statementTerms, ...computeTerms };

/**
 * The versions of the public common context, by URL, that clients of this API write in their statements without ever sending
 * them. They are addressed by their bytes, so the table of terms gives these again with each space.
 */
export const commonContexts: ReadonlyMap<string, () => string> = new Map(
  contexts.map((context: CommonContext) => [`urn:cid:${context.cid}`, () => textOf(context)]),
);

function textOf({ extends: base, terms, endsWithEmptyLine }: CommonContext): string {
  const groups = terms.split(', ').map((group) => group.split(' '));
  const defined = groups.flat().map((key) => [nameOf(key), definition(nameOf(key), definitions[key])]);
  const added = { '@protected': true, ...Object.fromEntries(defined) };
  const context = base === undefined ? added : [`urn:cid:${base}`, added];
  const indent = ' '.repeat(base === undefined ? 8 : 12);
  let text = `${JSON.stringify({ '@context': context }, null, 4)}\n${endsWithEmptyLine ? '\n' : ''}`;
  for (const [first = ''] of groups) text = text.replace(`\n${indent}"${nameOf(first)}"`, '\n$&');
  return text;
}

function nameOf(key: string): string {
  return key.split('#')[0] ?? '';
}

/** The definition of a term in a context (JSON-LD 1.1, section 9.15.1). */
function definition(name: string, term: Term = ''): object {
  const id = { '@id': termsIri + name };
  if (typeof term === 'string') return term === '' ? id : { ...id, '@type': term };
  const [keywords = [], inner = []] = [true, false].map((isKeyword) =>
    Object.entries(term).filter(([key]) => key.startsWith('@') === isKeyword),
  );
  const context = Object.fromEntries(inner.map(([key, value]) => [key, definition(key, value)]));
  return { ...id, ...Object.fromEntries(keywords), ...(inner.length > 0 && { '@context': context }) };
}
