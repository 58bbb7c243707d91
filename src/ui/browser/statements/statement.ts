import type { FindingsAnswer } from '../../../contract/integrity/findings.ts';
import type { StatementVerificationAnswer as Verification } from '../../../contract/integrity/statements.ts';
import type { TrustAnswer } from '../../../contract/integrity/trust.ts';
import { bareId, harmless } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import { ask, askJson } from '../api.ts';
import { markBadge } from '../badge.ts';
import { copyable } from '../copying.ts';
import { element, part, section } from '../element.ts';
import { loading } from '../failed.ts';
import { folded } from '../folded.ts';
import { kindLabel, symbol, words } from '../kinds.ts';
import { askDocument, blobAddress } from '../lineage/lineage-api.ts';
import { statementsLogged } from '../logged.ts';
import { runFacts } from '../runs/run-facts.ts';
import { askRun } from '../runs/runs-api.ts';
import { localTime, when } from '../times.ts';
import { credentialSection } from './credential.ts';
import { facts, identifiersIn, memberTable } from './members.ts';
import { askNames, withSentences } from './names.ts';
import { credentialEnds, idsIn, namedIn, sentence, typeOf } from './sentence.ts';
import {
  foreignText,
  graphAddress,
  isIdentifier,
  lineageAddress,
  type Names,
  statementAddress,
  thing,
} from './shown-text.ts';
import { signatureSection } from './signatures.ts';
import { askGraph, askStatements, type Json } from './statements-api.ts';

type Findings = Pick<FindingsAnswer, 'statements' | 'variants'>;

const asked = part('page').dataset.about ?? '';
const apiAddress = `/statements/v1/id/${asked}`;
const place = part('statement');
/** Other statements about this one that are listed. */
const mostOthers = 20;
const mostGraphs = 10;
const mostPeople = 5;

async function load(): Promise<void> {
  const [statement, verification] = await Promise.all([
    askJson<Json>(apiAddress),
    askJson<Verification>(`${apiAddress}/verification`),
  ]);
  const id = verification.statement_id;
  const address = `/cid/v1/find/${bareId(id)}?limit=100`;
  const found = await askJson<Findings>(address).catch((): Findings => ({ statements: [] }));
  const others = found.statements.filter(({ role }) => role !== 'self');
  const known = await askNames([
    ...idsIn(statement.registeredBy),
    ...namedIn(statement, id),
    ...identifiersIn(statement),
    ...[verification.trust.by, ...verification.signatures.map(({ signer }) => signer)].flatMap(idsIn),
  ]);
  const mentioned = [...namedIn(statement, id), ...credentialEnds(statement).subject];
  const names = await withSentences(
    known,
    mentioned.filter((one) => one !== id),
  );
  showHead(statement, verification, names);
  const { links, rest } = await graphLinks(found);
  const run = typeOf(statement) === 'ComputationRegistration' && (await askRun(id).catch(() => undefined));
  const done = run ? runFacts(run, 'h2') : [];
  if (links[0]) part('parents').replaceChildren('› ', links[0].cloneNode(true));
  const isCredential = typeOf(statement) === 'CredentialRegistration';
  place.replaceChildren(
    vouched(statement, verification, names),
    element('p', {}, element('a', { class: 'choice', href: lineageAddress(id) }, 'Show its lineage')),
    element(
      'div',
      { class: 'columns' },
      element(
        'div',
        {},
        ...(await credentialSection(statement, names)),
        ...done,
        section(isCredential ? 'The statement about it' : 'What it says', memberTable(statement, names)),
        ...(done.length > 0 ? [] : await attached(statement, id)),
        ...signatureSection(verification, names),
      ),
      element(
        'div',
        {},
        section('Graphs', graphs(links, rest)),
        section('Identifiers', identifiers(verification, found, statement, names)),
        ...(others.length > 0 ? [section('Statements about it', otherList(others))] : []),
      ),
    ),
    folded('The statement as JSON', jsonText),
    folded('The statement as N-Quads', quadsText),
  );
  const receipt = () => [element('a', { href: `/log/v1/proof/${bareId(id)}`, download: '' }, 'Receipt')];
  const logged = await statementsLogged([id], null, receipt);
  if (logged) place.querySelector('.vouched')?.after(logged);
}

function showHead(statement: Json, { statement_id: id, trust }: Verification, names: Names): void {
  const type = typeOf(statement);
  part('kind').replaceChildren(symbol(type), kindLabel(type));
  part('heading').replaceChildren(...sentence(statement, id, names, { withLinks: true, trust }));
  document.title = `${part('heading').textContent} · Cairn`;
}

function vouched(statement: Json, { trust }: Verification, names: Names): HTMLElement {
  const { registeredBy: by, timestamp } = statement;
  const who = typeof by === 'string' ? ['Registered by ', thing(by, names)] : ['It names no registrant'];
  const time = timestamp === undefined ? [] : [', ', when(timestamp), ` (${localTime(String(timestamp))})`];
  const proof = typeof by === 'string' || trust.state !== 'claimed' ? signedBy(trust, names) : [];
  const words = element('span', {}, ...who, ...time, '. ', ...proof);
  const why = trust.reason !== undefined && element('span', { class: 'quiet' }, harmless(trust.reason, 500));
  return element('p', { class: 'vouched' }, markBadge(trustMark(trust)), words, why);
}

function signedBy(trust: TrustAnswer, names: Names): (Node | string)[] {
  const { state, by, by_registrant: isRegistrant } = trust;
  if (state === 'claimed') return ['Nothing proves that it was them.'];
  if (state === 'retracted') return ['Retracted by ', ...retractedBy(trust, names)];
  if (isRegistrant) return ['They signed it.'];
  const who = by === undefined ? 'an unknown key' : isIdentifier(by) ? thing(by, names) : harmless(by);
  return ['Signed by ', who, '.'];
}

function retractedBy({ by, by_registrant: isRegistrant, retraction }: TrustAnswer, names: Names) {
  const who = isRegistrant
    ? 'its registrant'
    : retraction?.signed && by
      ? thing(by, names)
      : 'whoever registered it';
  if (!retraction) return [who, '.'];
  const at = retraction.timestamp === undefined ? [] : [` at ${localTime(retraction.timestamp)}`];
  const link = element('a', { href: statementAddress(retraction.statement) }, 'the retraction');
  return [who, ...at, ' (', link, ').'];
}

/** Links to the graphs that hold the statement. */
async function graphLinks({ statements }: Findings): Promise<{ links: HTMLElement[]; rest: number }> {
  const ids = [...new Set(statements.filter(({ role }) => role === 'self').flatMap((one) => one.graph_ids))];
  const links = await Promise.all(
    ids.slice(0, mostGraphs).map(async (id) => {
      const name = await askGraph(id).then(
        ({ graph }) => foreignText(graph.name),
        () => element('code', {}, id),
      );
      return element('a', { href: graphAddress(id) }, name);
    }),
  );
  return { links, rest: ids.length - links.length };
}

function graphs(links: readonly HTMLElement[], rest: number): HTMLElement {
  if (links.length === 0) return element('p', {}, 'None. Exports of graphs do not have this statement.');
  const items = links.map((link) => element('li', {}, link));
  return element('ul', {}, ...items, rest > 0 && element('li', {}, `${rest} more`));
}

function identifiers(
  { statement_id: id, jcs_cid: jcs }: Verification,
  { variants = [] }: Findings,
  statement: Json,
  names: Names,
) {
  const people = new Set(identifiersIn(statement).filter((one) => one.startsWith('did:')));
  const others = variants.filter((one) => one !== jcs);
  const rows: [string, string, Node][] = [
    ['Statement id', 'names what it says', copyable(bareId(id), 'the statement id')],
    ['JSON CID', 'names its exact JSON', copyable(jcs, 'the CID of its JSON')],
    ...others.map((one): [string, string, Node] => [
      'Another form',
      'the same meaning',
      element('a', { href: statementAddress(one) }, element('code', {}, one)),
    ]),
    ...[...people].slice(0, mostPeople).map((did): [string, string, Node] => {
      const name = harmless(names.get(did) ?? '');
      return ['DID', name === '' ? '' : `of ${name}`, copyable(did, `the DID of ${name || 'this actor'}`)];
    }),
  ];
  return element(
    'dl',
    { class: 'stacked' },
    ...rows.flatMap(([term, meaning, value]) => [
      element('dt', {}, term, ' ', element('span', { class: 'quiet' }, meaning)),
      element('dd', {}, value),
    ]),
  );
}

function otherList(others: Findings['statements']): HTMLElement {
  const items = others.slice(0, mostOthers).map(({ id, type, role }) => {
    const link = element('a', { href: statementAddress(id) }, kindLabel(type));
    return element(
      'li',
      {},
      link,
      ' ',
      element('span', { class: 'quiet' }, `as ${words(role).toLowerCase()}`),
    );
  });
  const rest = others.length - items.length;
  return element('ul', {}, ...items, rest > 0 && element('li', {}, `${rest} more`));
}

async function jsonText(): Promise<string> {
  return JSON.stringify(await askJson(apiAddress), undefined, 2);
}

async function quadsText(): Promise<string> {
  const response = await ask(apiAddress, { headers: { accept: 'application/n-quads' } });
  return await response.text();
}

/** Documents whose content belongs to the statement: what it registers, and what is said about it. */
async function attached(statement: Json, id: string): Promise<HTMLElement[]> {
  const own = { MetadataRegistration: 'metadata', GovernanceRegistration: 'document' }[typeOf(statement)];
  const about = await askStatements({ type: 'MetadataRegistration', subject: id, limit: '1' }).catch(
    () => undefined,
  );
  const documents = [
    ...(own ? idsIn(statement[own]).map((cid) => ['The document', cid] as const) : []),
    ...idsIn(about?.statements[0]?.statement.metadata).map((cid) => ['Described as', cid] as const),
  ];
  return await Promise.all(documents.map(async ([title, cid]) => await documentSection(title, cid)));
}

async function documentSection(title: string, cid: string): Promise<HTMLElement> {
  const document = await askDocument(cid).catch(() => undefined);
  if (document !== undefined)
    return section(
      title,
      element('div', { class: 'card' }, facts(document, await askNames(identifiersIn(document)))),
    );
  const bytes = element('a', { href: blobAddress(cid) }, 'its bytes');
  const words = 'It is not stored here as a small JSON document. See ';
  return section(title, element('p', {}, words, bytes, ', if they are stored.'));
}

void loading(load, place);
