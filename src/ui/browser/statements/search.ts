import type { FindingsAnswer } from '../../../contract/integrity/findings.ts';
import { shortId } from '../../../contract/words/text.ts';
import { askJson } from '../api.ts';
import { trustBadge } from '../badge.ts';
import { element } from '../element.ts';
import { when } from '../times.ts';
import { askNames } from './names.ts';
import { idsIn } from './sentence.ts';
import { isStatementId, nameOrId, pageOf, statementAddress } from './shown-text.ts';
import { registrant, table } from './statement-table.ts';
import { askStatements, type FoundStatement } from './statements-api.ts';

interface Search {
  readonly q: string;
  readonly type: string;
  readonly by: string;
  readonly cursor: string;
}

const namesAtOnce = 25;

/** The DID of a registrant who is given by DID or by name; undefined if nobody has this name. */
export async function registrantOf(given: string): Promise<string | undefined> {
  if (given === '' || given.startsWith('did:')) return given;
  const { statements } = await askStatements({ name: given, limit: '100' });
  return statements.flatMap(({ statement }) => idsIn(statement.subject)).find((id) => id.startsWith('did:'));
}

/** The things whose name begins with a text, as a table. */
export async function byName({ q, type, by, cursor }: Search) {
  const query = { name: q, registered_by: by, cursor, limit: String(namesAtOnce) };
  const { statements, next_cursor: next } = await askStatements(query);
  const described = await ofKind(statements, type);
  const ids = described.flatMap(({ statement }) => idsIn([statement.subject, statement.registeredBy]));
  const names = await askNames(ids);
  const rows = described.map(({ id, statement, trust }) => {
    const subject = String(statement.subject);
    const short = element('code', { class: 'quiet' }, shortId(subject));
    const name = element('a', { href: pageOf(subject), title: subject }, nameOrId(subject, names));
    const label = `see the statement that names ${shortId(subject)}`;
    const see = { href: statementAddress(id), 'aria-label': label };
    return [
      element('span', {}, name, ' ', short),
      whatIs(subject),
      registrant(statement.registeredBy, names),
      when(statement.timestamp),
      element('span', { class: 'row' }, trustBadge(trust), element('a', see, 'see')),
    ];
  });
  const heads = ['Name', 'What it is', 'Named by', 'When', 'Trust'];
  if (rows.length > 0) return { content: table('Things with this name', heads, rows), next };
  const sentence =
    next === undefined
      ? 'Nothing that you may see has such a name.'
      : 'Nothing matches so far. Older names may.';
  return { content: element('p', {}, sentence), next };
}

/** Those names whose subject has, or is, a statement of a kind. */
async function ofKind(rows: readonly FoundStatement[], type: string): Promise<readonly FoundStatement[]> {
  if (type === '') return rows;
  const fits = await Promise.all(
    rows.map(async ({ statement }) => {
      const [subject = ''] = idsIn(statement.subject);
      const address = `/cid/v1/find/${encodeURIComponent(subject)}?limit=100`;
      const found = await askJson<FindingsAnswer>(address).catch(() => undefined);
      return found?.statements.some((one) => one.type === type) ?? false;
    }),
  );
  return rows.filter((_, at) => fits[at]);
}

function whatIs(id: string): string {
  if (isStatementId(id)) return 'Statement';
  if (id.startsWith('did:')) return 'Actor';
  return id.startsWith('urn:uuid:') ? 'Entity' : 'File or data';
}
