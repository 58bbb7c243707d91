import type { Grants } from '../../access/grants.ts';
import type { Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { ContentReach } from '../access/content-reach.ts';
import { bundledContexts } from '../contexts/bundled.ts';
import { isOwnContext } from '../contexts/own.ts';
import { type Cid, cidUrn, codecs, isStatementCid, parseCid } from '../identifiers/cid.ts';
import type { Identifier, StatementStore, StoredStatement } from '../ports.ts';
import type { StatementIndex } from './questions.ts';

export interface StatementReading {
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
  readonly statementIndex: Pick<StatementIndex, 'forms'>;
  readonly identifier: Pick<Identifier, 'identify'>;
  readonly reach: ContentReach;
}

/**
 * A stored statement by its id (`rdfc_cid`), or one of its forms by `jcs_cid`.
 * @throws ServiceError `not_found`, `invalid_cid`, `unavailable`.
 */
export async function readStatement(
  ports: StatementReading,
  grants: Grants,
  id: string,
  jcsCid: string | undefined,
): Promise<StoredStatement> {
  const cid = parseCid(id);
  const visibility = await ports.reach.visibility(grants);
  const found =
    jcsCid !== undefined
      ? await ports.statements.byJcsCid(parseCid(jcsCid), visibility)
      : await byEitherCid(ports, grants, cid, visibility);
  if (found && (jcsCid === undefined || found.rdfcCid.text === cid.text)) return found;
  const message = `There is no statement ${cidUrn(cid)}${jcsCid ? ` in the form ${jcsCid}` : ''}.`;
  throw new ServiceError('not_found', message);
}

/** The codec of the CID tells which of the two ids it is. */
async function byEitherCid(ports: StatementReading, grants: Grants, cid: Cid, visibility: Visibility) {
  if (isStatementCid(cid, codecs.rdfc)) return await preferredForm(ports, grants, cid, visibility);
  if (isStatementCid(cid, codecs.jcs)) return await ports.statements.byJcsCid(cid, visibility);
  return undefined;
}

/**
 * The form to show for an id. Anybody may store another form of a known statement: the id does not cover members that
 * the form's context leaves undefined. So the oldest form that it covers in well-known contexts comes first, then the
 * oldest form of the caller's projects.
 */
async function preferredForm(
  { statementIndex, identifier }: StatementReading,
  grants: Grants,
  id: Cid,
  visibility: Visibility,
): Promise<StoredStatement | undefined> {
  const forms = await firstForms(statementIndex, id, visibility, formsCompared);
  if (forms.length < 2) return forms[0];
  const known = forms.map((form) => ({ form, contexts: contextsOf(form) }));
  const own = known.find(({ contexts }) => contexts === 'own');
  if (own) return own.form;
  const bundled = known.filter(({ contexts }) => contexts === 'bundled').slice(0, formsIdentified);
  for (const { form } of bundled) if (await isCovered(identifier, form)) return form;
  const [mine] = await firstForms(statementIndex, id, await grants.visible(), 1);
  return mine ?? forms[0];
}

/** Limits the work for one request. */
const formsCompared = 100;
const formsIdentified = 10;

async function firstForms(
  index: StatementReading['statementIndex'],
  id: Cid,
  visibility: Visibility,
  limit: number,
): Promise<readonly StoredStatement[]> {
  const forms: StoredStatement[] = [];
  for (let after: string | null | undefined = null; after !== undefined && forms.length < limit; ) {
    const page = await index.forms(id, { after, limit: limit - forms.length }, { graphId: null, visibility });
    forms.push(...page.statements);
    after = page.next;
  }
  return forms;
}

/** `own`: the service's own context, alone or with bundled ones, so that storing has checked that the id covers all. */
function contextsOf({ jcs }: StoredStatement): 'own' | 'bundled' | 'foreign' {
  const document = JSON.parse(Buffer.from(jcs).toString());
  if (!namesBundledContexts(document)) return 'foreign';
  return [document['@context']].flat().some(isOwnContext) ? 'own' : 'bundled';
}

function namesBundledContexts(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(namesBundledContexts);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) =>
    key === '@context'
      ? [member].flat().every((url) => bundledContexts.has(url))
      : namesBundledContexts(member),
  );
}

async function isCovered(identifier: StatementReading['identifier'], { jcs }: StoredStatement) {
  const options = { generateId: false, strict: false, reportCoverage: true };
  const { refused, uncovered } = await identifier.identify(jcs, [0, jcs.length], options);
  return refused.length + uncovered.length === 0;
}
