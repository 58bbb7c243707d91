import { html } from 'hono/html';
import { bareId, counted } from '../../contract/words/text.ts';
import type { Tone } from '../../contract/words/trust.ts';
import { namesOfSigner } from '../../domain/integrity/policies/bind.ts';
import type { FactName } from '../../domain/integrity/policies/fact-table.ts';
import type { LogFact, SignatureFact } from '../../domain/integrity/policies/facts.ts';
import type { FactStatement } from '../../domain/integrity/policies/statements-in.ts';
import type { Html } from '../header.ts';
import { badge } from '../parts.ts';
import { foreign, plain, when } from '../report/words.ts';
import type { ReportedSubject } from './references.ts';

const signaturesShown = 5;
const statementsShown = 2_000;
const saysShown = 4;

/** The statements that the chapters name: what they say, who signed them, and where a log has them. */
export function evidenceTable(subject: ReportedSubject): Html {
  const all = subject.references.all();
  if (all.length === 0) return html`<p>No statement decided anything here.</p>`;
  const more = all.length - statementsShown;
  return html`<table class="evidence">
<thead><tr><th scope="col">No.</th><th scope="col">What it says</th><th scope="col">Signed by</th><th scope="col">In the log</th></tr></thead>
<tbody>${all.slice(0, statementsShown).map(([number, statement]) => row(subject, number, statement))}</tbody>
</table>${more > 0 ? html`<p>And ${counted(more, 'more statement')}.</p>` : ''}`;
}

function row(subject: ReportedSubject, number: number, { id, says, signatures, log }: FactStatement): Html {
  const shown = signatures.slice(0, signaturesShown);
  const more = signatures.length - shown.length;
  return html`<tr id="${subject.references.anchor(number)}">
<td data-label="No.">[${number}]</td>
<td data-label="What it says">${saysWords(subject, says)}<br><code>${plain(bareId(id), 300)}</code></td>
<td data-label="Signed by">${shown.length === 0 ? 'nobody' : shown.map((one, at) => html`${at > 0 ? html`<br>` : ''}${signedBy(subject, one)}`)}${more > 0 ? html`<br>and ${more} more` : ''}</td>
<td data-label="In the log">${logWords(log)}</td>
</tr>`;
}

const words: Readonly<Partial<Record<FactName, string>>> = {
  artefact: 'what is said about',
  computation: 'the computation',
  agent: 'the agent',
  exchange: 'an exchange of',
  review: 'a review of',
  declaration: 'a declaration about',
  certificate: 'a certificate about',
  membership: 'a membership of',
  provenance: 'build provenance of',
  component: 'the SBOM of',
  vulnerability: 'vulnerabilities of',
  signature: 'a signature about',
};

function saysWords({ named }: ReportedSubject, all: FactStatement['says']): Html {
  if (all.length === 0) return html`a statement that a rule has read`;
  const others = all.filter(({ fact }) => fact !== 'signature');
  const says = others.length > 0 ? others : all;
  const shown = says.slice(0, saysShown);
  const more = says.length - shown.length;
  return html`${shown.map(({ fact, of }, at) => html`${at > 0 ? ', ' : ''}${words[fact] ?? fact} ${foreign(named(of))}`)}${more > 0 ? ` and ${more} more` : ''}`;
}

const kinds: Readonly<Record<string, string>> = {
  proof: 'Data Integrity proof',
  credential: 'credential',
  dsse: 'DSSE envelope',
  sigstore: 'Sigstore bundle',
};

const standings: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  good: { label: 'stands', tone: 'good' },
  revoked: { label: 'revoked', tone: 'bad' },
  suspended: { label: 'suspended', tone: 'warning' },
  expired: { label: 'expired', tone: 'warning' },
  not_yet_valid: { label: 'not valid yet', tone: 'warning' },
  retracted: { label: 'retracted', tone: 'bad' },
  failed: { label: 'wrong', tone: 'bad' },
};

/** Only a signature of somebody whom the policy names looks good. */
function signedBy({ policy, facts, named }: ReportedSubject, signature: SignatureFact): Html {
  const { signer = '', issuer, kind = '', standing, is_registrant: isRegistrant, time } = signature;
  const names = namesOfSigner(signature, policy.document.signers, facts.service);
  const { label, tone } = standings[standing ?? ''] ?? { label: 'standing unknown', tone: 'warning' };
  const service = facts.service.includes(signer) ? ' (the service)' : '';
  const name = named(signer);
  const isNamed = Object.hasOwn(facts.things.agents, signer) && name !== signer;
  return html`${names.length > 0 ? html`<strong>${foreign(names.join(', '))}</strong> ` : ''}${isNamed ? html`${foreign(name)} ` : ''}<code>${signer === '' ? 'an unknown key' : plain(signer, 300)}</code>${service}${issuer === undefined || issuer === '' ? '' : html`, vouched for by ${foreign(issuer, 300)}`}
<span class="quiet">${isRegistrant ? 'as its registrant, ' : ''}${kinds[kind] ?? plain(kind)}${time === undefined || Number.isNaN(Date.parse(time)) ? '' : html`, ${when(Date.parse(time))}`}</span>
${badge(tone === 'good' && names.length === 0 ? 'plain' : tone, label)}`;
}

function logWords(log: LogFact | undefined): Html {
  if (!log) return html`<span class="quiet">no proof here</span>`;
  const { index, size, origin, at, witnesses = [] } = log;
  const seen = witnesses.map(({ name }) => name ?? 'a witness');
  return html`entry ${index ?? '?'}${size === undefined ? '' : ` of ${size.toLocaleString('en')}`}${origin === undefined ? '' : html`, ${foreign(origin)}`}${at === undefined || Number.isNaN(Date.parse(at)) ? '' : html`<br><span class="quiet">seen ${when(Date.parse(at))}</span>`}${seen.length > 0 ? html`<br><span class="quiet">by ${foreign(seen.slice(0, 5).join(', '), 300)}</span>` : ''}`;
}
