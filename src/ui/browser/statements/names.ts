import type { NamesAnswer } from '../../../contract/integrity/findings.ts';
import { bareId } from '../../../contract/words/text.ts';
import { askJson, Failure } from '../api.ts';
import { askDocument, isDocument } from '../lineage/lineage-api.ts';
import { calledBy, namedIn } from './sentence.ts';
import { isStatementId, type Names } from './shown-text.ts';
import type { FoundStatement, Json } from './statements-api.ts';

const namesAtOnce = 1_000;
/** The rest of a longer statement is shown by identifiers. */
const mostNames = 5_000;
/** More documents are not read for names of their own. */
const mostDocuments = 40;
/** More than any list on a page has rows. */
const mostSentences = 200;
const longestQuote = 60;

/** The names of things, as far as the reader may know them. Pages can be read without names. */
export async function askNames(ids: Iterable<string>): Promise<Names> {
  const asked = [...new Set(ids)].slice(0, mostNames);
  const names = new Map<string, string>();
  for (let at = 0; at < asked.length; at += namesAtOnce)
    for (const [id, name] of await askNamesOf(asked.slice(at, at + namesAtOnce))) names.set(id, name);
  const documents = asked.filter((id) => isDocument(id) && !names.has(id)).slice(0, mostDocuments);
  await Promise.all(
    documents.map(async (id) => {
      const document = await askDocument(id).catch(() => undefined);
      const name = document && ownName(document);
      if (name !== undefined) names.set(id, name);
    }),
  );
  return names;
}

/** An identifier that the service refuses does not cost the others their names. */
async function askNamesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ ids }) };
  try {
    return new Map(Object.entries((await askJson<NamesAnswer>('/names/v1', init)).names));
  } catch (error) {
    const isRefused = error instanceof Failure && error.status === 400;
    if (!isRefused || ids.length < 2) return new Map();
    const half = Math.ceil(ids.length / 2);
    const halves = [ids.slice(0, half), ids.slice(half)];
    return new Map((await Promise.all(halves.map(askNamesOf))).flatMap((some) => [...some]));
  }
}

/** The names, and what statements without a name say. `known` need not be asked for. */
export async function withSentences(
  names: Names,
  ids: readonly string[],
  known: readonly Pick<FoundStatement, 'id' | 'statement'>[] = [],
): Promise<Names> {
  const here = new Map(known.map((one) => [one.id, one]));
  const nameless = [...new Set(ids)].filter((id) => isStatementId(id) && !names.has(id));
  const asked = await Promise.all(
    nameless.slice(0, mostSentences).map((id) => here.get(id) ?? askStatement(id)),
  );
  const statements = asked.filter((one) => one !== undefined);
  const namesInside = await askNames(statements.flatMap(({ id, statement }) => namedIn(statement, id)));
  const said = statements.map(({ id, statement }) => [id, calledBy(statement, id, namesInside)] as const);
  return new Map([...names, ...said]);
}

async function askStatement(id: string): Promise<{ id: string; statement: Json } | undefined> {
  const statement = await askJson<Json>(`/statements/v1/id/${bareId(id)}`).catch(() => undefined);
  return statement && { id, statement };
}

/** What a document without metadata calls itself, or what it is. */
function ownName({ name, title, decision, statement, type }: Json): string | undefined {
  const given = [name, title].find((one) => typeof one === 'string' && one.trim() !== '');
  if (given !== undefined) return String(given).trim();
  if (typeof decision === 'string') return `a review: ${decision.replaceAll('_', ' ')}`;
  if (typeof statement === 'string') return `the declaration “${shortened(statement)}”`;
  const types = [type].flat();
  return types.includes('VerifiableCredential') ? credentialName(types) : undefined;
}

/** In words, such as "a policy compliance credential". */
function credentialName(types: readonly unknown[]): string {
  const own = types.findLast(
    (type) => typeof type === 'string' && /^(?:[A-Z][a-z]+){1,5}Credential$/.test(type),
  );
  if (own === undefined || own === 'VerifiableCredential') return 'a credential';
  const words = String(own)
    .replace(/(?<!^)[A-Z]/g, ' $&')
    .toLowerCase();
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`;
}
