import { html } from 'hono/html';
import { filled } from '../../contract/words/kinds.ts';
import { counted } from '../../contract/words/text.ts';
import { type TrustMark, vouchingVerb } from '../../contract/words/trust.ts';
import { unknownSupport } from '../../domain/integrity/governance/support.ts';
import { parseTime } from '../../domain/integrity/identifiers/timestamp.ts';
import { kindNamed } from '../../domain/integrity/kinds/registry.ts';
import type { Governance, Report, ReportedStatement } from '../../domain/integrity/report/report.ts';
import { registrantOf } from '../../domain/integrity/signatures/proven.ts';
import type { Html } from '../header.ts';
import { markOf, standing, withoutCarriers } from './standing.ts';
import { foreign, kindWord, label, nameOrId, namesOf, period, titleOf, when } from './words.ts';

const rowsShown = 200;
const namesShown = 4;
/** Statements of these kinds are alike, so those with one author and standing share a row. */
const routine: ReadonlySet<string> = new Set([
  'DataRegistration',
  'EntityRegistration',
  'DidRegistration',
  'MetadataRegistration',
]);

/** Section 4: whether each statement is signed and stands. */
export function statementsSection(report: Report): Html {
  const { statements, unreadStatements } = report;
  const rows = rowsOf(statements);
  const rest = rows.slice(rowsShown).flat();
  return html`<section aria-labelledby="s4">
<h2 id="s4">4. Whether that is signed, and stands</h2>
<p>${summary(statements)}</p>
<ul class="explained">
<li><strong>Signed by its registrant</strong>: whoever holds the private key of the named author has signed exactly this statement.</li>
<li><strong>Signed by another</strong>: the holder of another key vouches for it, such as the service that stored it.</li>
<li><strong>Not signed</strong>: nothing but the statement itself says who made it. That is not evidence against it.</li>
<li><strong>Not valid now</strong>, <strong>revoked</strong>: it was signed, and the signature has expired, is suspended, or was withdrawn.</li>
<li><strong>Retracted</strong>: whoever made the statement has withdrawn it. It stays readable.</li>
</ul>
<table class="statements">
<thead><tr><th scope="col">When</th><th scope="col">What it says</th><th scope="col">Registered by</th><th scope="col">Standing</th></tr></thead>
<tbody>${rows.slice(0, rowsShown).map((alike) => row(report, alike))}</tbody>
</table>
${rest.length > 0 ? html`<p>And ${counted(rest.length, 'further statement')}. ${summary(rest)}</p>` : ''}
${unreadStatements > 0 ? html`<p>${counted(unreadStatements, 'further statement')} about these things ${unreadStatements === 1 ? 'was' : 'were'} not read for this report.</p>` : ''}
${governanceTable(report)}
</section>`;
}

/** One row for each statement, then one for each set of routine statements that are alike. */
function rowsOf(statements: readonly ReportedStatement[]): (readonly ReportedStatement[])[] {
  const sorts = Object.groupBy(statements, ({ kind }) => (routine.has(kind) ? 'alike' : 'single'));
  const { alike = [], single = [] } = sorts;
  const groups = Map.groupBy(alike, ({ kind, trust, signatures, isTrusted, references }) =>
    JSON.stringify([kind, trust, signatures, isTrusted, registrantOf({ references })]),
  );
  return [...single.map((one) => [one]), ...groups.values()];
}

function summary(all: readonly ReportedStatement[]): string {
  const statements = withoutCarriers(all);
  const carriers = all.length - statements.length;
  const byMark = Map.groupBy(statements, markOf);
  const of = (mark: TrustMark) => byMark.get(mark)?.length ?? 0;
  const own = byMark.get('signed')?.filter(({ trust }) => trust.isRegistrant).length ?? 0;
  const counts = [
    [own, 'signed by its registrant'],
    [of('signed') - own, 'signed by another'],
    [of('invalid'), 'signed, but not valid now'],
    [of('revoked'), 'revoked'],
    [of('retracted'), 'retracted'],
    [of('claimed'), 'not signed'],
  ] as const;
  const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `Of ${counted(statements.length, 'statement')}: ${words.join(', ') || 'none'}.${carriers > 0 ? ` ${counted(carriers, 'credential')} ${carriers === 1 ? 'is a signature' : 'are signatures'} and counted apart.` : ''}`;
}

function row(report: Report, alike: readonly ReportedStatement[]): Html {
  const [first] = alike;
  if (!first) return html``;
  const by = registrantOf(first);
  const all = { ...first, references: alike.flatMap(({ references }) => references) };
  const count = alike.length > 1 ? html`<br><span class="quiet">${alike.length} statements</span>` : '';
  return html`<tr>
<td data-label="When">${period(alike)}${loggedSince(report, alike)}</td>
<td data-label="What it says">${says(report, all)}${count}</td>
<td data-label="Registered by">${by === undefined ? 'nobody named' : nameOrId(report, by)}</td>
<td data-label="Standing">${standing(report, first)}</td>
</tr>`;
}

/** Since when the log has all of them. Who says so is in section 5. */
function loggedSince({ logged }: Report, alike: readonly ReportedStatement[]): Html {
  const standings = alike.map(({ id }) => logged.get(id));
  const times = standings.flatMap((one) => (one?.state === 'logged' ? one.publication.since : []));
  if (times.length > 0 && times.length === alike.length)
    return html`<br><span class="quiet">in the log since ${when(Math.max(...times))}</span>`;
  const isWaiting = standings.some((one) => one?.state === 'waiting');
  return isWaiting ? html`<br><span class="quiet">not in the log yet</span>` : html``;
}

/** A statement in words. */
export function says(report: Report, statement: ReportedStatement): Html {
  const { id, kind, references } = statement;
  const idsOf = (roles: readonly string[]) =>
    references.filter(({ role }) => roles.includes(role)).map(({ identifier }) => identifier);
  const part = (name: string) => {
    if (name === 'doer') return html`<strong>${foreign(titleOf(report, id))}</strong>`;
    if (name === 'vouching') return vouching(statement);
    return namesOf(report, [...new Set(idsOf(name.split('|')))], namesShown);
  };
  const known = kindNamed(kind);
  if (known) return html`${filled(known.says, part)}`;
  const others = references.filter(({ role }) => role !== 'registeredBy').map(({ identifier }) => identifier);
  return html`${kindWord(kind)}: refers to ${namesOf(report, others)}`;
}

/** At the start of a sentence. */
function vouching(statement: Pick<ReportedStatement, 'trust' | 'signatures'>): string {
  const isProved = statement.signatures.some(({ kind, check }) => kind !== 'proof' && check.result === 'ok');
  const verb = vouchingVerb({ isProved, counts: markOf(statement) === 'signed' });
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}

const documentsShown = 50;
const documentKinds = {
  declaration: 'Declaration',
  review: 'Review',
  certificate: 'Certificate',
  document: 'Document',
} as const;

/** Declarations, reviews and certificates about what is in the report. */
function governanceTable(report: Report): Html {
  const { governance } = report;
  if (governance.length === 0)
    return html`<h3>Approvals</h3><p>There are no declarations, reviews or certificates here about any of this.</p>`;
  return html`<h3>Approvals</h3>
<p>What the registered documents say. Who it is by is what the document says, or else who has signed the review. Decisions can be withdrawn by a later review, which may be missing here.</p>
<table class="approvals">
<thead><tr><th scope="col">What</th><th scope="col">About</th><th scope="col">By</th><th scope="col">Its statement</th></tr></thead>
<tbody>${governance.slice(0, documentsShown).map((one) => documentRow(report, one))}</tbody>
</table>
${governance.length > documentsShown ? html`<p>And ${counted(governance.length - documentsShown, 'further document')}.</p>` : ''}`;
}

function documentRow(report: Report, governance: Governance) {
  const { kind, verdict, by, signer, at, until, text, subject, statement, lost } = governance;
  const found = report.statements.find(({ id }) => id === statement);
  return html`<tr>
<td data-label="What">${documentKinds[kind]}${verdict === undefined ? '' : html`: <strong>${foreign(verdict.replaceAll('_', ' '))}</strong>`}${text === undefined ? '' : html`<br>“${foreign(text, 400)}”`}</td>
<td data-label="About">${label(report, subject)}</td>
<td data-label="By">${author(report, by, signer)}${at === undefined ? '' : html`<br>${moment(at)}`}${until === undefined ? '' : html`<br>until ${moment(until)}`}</td>
<td data-label="Its statement">${found ? standing(report, found) : ''}${lost === undefined ? '' : html`<p>${supportWords(report, lost)}</p>`}</td>
</tr>`;
}

function supportWords(report: Report, lost: NonNullable<Governance['lost']>): Html {
  if (lost === unknownSupport)
    return html`Nobody can tell here whether what it rests on was withdrawn since.`;
  return html`<strong>No longer stands:</strong> it rests on ${nameOrId(report, lost.statement)}, which is ${lost.state}.`;
}

function author(report: Report, by: string | undefined, signer: string | undefined): Html {
  if (by !== undefined) return by.startsWith('did:') ? label(report, by) : nameOrId(report, by);
  return signer === undefined ? html`not named` : html`${label(report, signer)}, who signed it`;
}

/** Documents have times in any form. */
function moment(text: string): Html {
  const time = parseTime(text);
  return time === null ? foreign(text, 40) : when(time);
}
