import { html } from 'hono/html';
import type { Agent } from '../../domain/control-plane/agents/agents.ts';
import type {
  AuditExchange,
  SealedBody,
  StateRecord,
} from '../../domain/control-plane/gateway/runtime-records.ts';
import type { ExchangeParts } from '../../domain/control-plane/projects/runtime-reads.ts';
import { agentPages, type Html } from '../header.ts';
import { named, time } from '../parts.ts';
import { outcomeBadge } from './activity.ts';
import { agentAddress } from './agents-page.ts';
import { type ConsolePage, copyable, facts, records } from './shell.ts';

export interface ExchangeView {
  readonly agent: Agent;
  readonly project: string;
  readonly projectName: string | undefined;
  readonly exchange: AuditExchange;
  readonly parts: ExchangeParts;
  /** Whether the lineage pages are at the same address. */
  readonly hasLineages: boolean;
}

function tokens({ inputTokens = null, outputTokens = null }: Partial<AuditExchange>): string | null {
  if (inputTokens === null && outputTokens === null) return null;
  const counted = (count: number | null) => (count === null ? 'unknown' : count.toLocaleString('en'));
  return `${counted(inputTokens)} in, ${counted(outputTokens)} out`;
}

/** One exchange: its bodies, the plugin events beside it, and the states of the agent down to their blobs. */
export function exchangePage(view: ExchangeView): ConsolePage {
  const { agent, project, exchange, parts } = view;
  const base = `/v1/projects/${project}/agents/${encodeURIComponent(agent.id)}`;
  const { exchangeKey, durationMs, model, correlationId, requestBody, responseBody } = exchange;
  const bodyAt = (side: string) => `${base}/audit-exchanges/${exchangeKey}/${side}-body`;
  return {
    title: `Exchange of ${agent.name}`,
    here: agentPages,
    parent: { name: agent.name, address: `${agentAddress(agent.id)}?${new URLSearchParams({ project })}` },
    script: 'console/bytes.ts',
    content: html`<div class="row">${outcomeBadge(exchange.outcome)}</div>
${facts([
  ['Time', time(exchange.occurredAt)],
  ['Duration', durationMs === null ? null : `${Math.round(durationMs).toLocaleString('en')} ms`],
  ['Model', model],
  ['Tokens', tokens(exchange)],
  ['Key', copyable('exchange-key', exchangeKey, 'the key')],
  ['Project', named(view.projectName, project)],
  ['Correlation id', correlationId],
])}
<section aria-labelledby="bodies"><h2 id="bodies">Bodies</h2>
${bytes('Request', requestBody, bodyAt('request'))}
${bytes('Response', responseBody, bodyAt('response'))}
</section>
<section aria-labelledby="events"><h2 id="events">Plugin events</h2>
${
  parts.events.length === 0
    ? html`<p>None was reported.</p>`
    : records(
        'Plugin events',
        ['Kind', 'Detail', 'Time'],
        parts.events.map((event) => [event.kind, html`<code>${event.detail}</code>`, time(event.occurredAt)]),
      )
}</section>
<section aria-labelledby="states"><h2 id="states">States</h2>
${parts.states.length === 0 ? html`<p>None was reported.</p>` : parts.states.map((state, at) => stateCard(state, at, base, view))}
</section>`,
  };
}

function stateCard(state: StateRecord, at: number, base: string, { hasLineages }: ExchangeView): Html {
  const { stateCid, children, blobs, occurredAt, attestation } = state;
  const address = `${base}/state-cids/${stateCid}`;
  const here = new Set(blobs.map(({ cid }) => cid));
  const lineage = (cid: string) =>
    hasLineages ? html` <a href="/ui/lineage/${cid}" aria-label="Lineage of ${cid}">Lineage</a>` : '';
  return html`<article class="card-box">
<p>${copyable(`state-${at}`, stateCid, 'the CID of the state')} <span class="quiet">${time(occurredAt)}${lineage(stateCid)}</span></p>
${bytes('Attestation', attestation, `${address}/blob`)}
${
  children.length === 0
    ? html`<p>It references no CIDs.</p>`
    : html`<p>It references:</p><ul>${children.map(
        (cid) =>
          html`<li><code>${cid}</code> ${here.has(cid) ? html`<a href="${address}/blobs/${cid}" aria-label="Download ${cid}">Download</a>` : html`<span class="quiet">its bytes did not come with this state</span>`}${lineage(cid)}</li>`,
      )}</ul>`
}
</article>`;
}

/** Larger bytes are only downloaded. */
const shownBytes = 65_536;
const shownType = /^(?:text\/|application\/(?:[\w.+-]*\+)?json)/;

/** Bytes that the script shows when the reader opens them, if they are short text. */
function bytes(name: string, body: SealedBody | null, address: string): Html {
  if (body === null) return html`<p>${name}: not recorded.</p>`;
  const { contentType, size } = body;
  const link = html`<a href="${address}">Download</a>`;
  const words = `${name} (${contentType}, ${size.toLocaleString('en')} bytes)`;
  if (size > shownBytes || !shownType.test(contentType)) return html`<p>${words} ${link}</p>`;
  return html`<details data-bytes="${address}"><summary>${words}</summary><pre tabindex="0">Loading…</pre>${link}</details>`;
}
