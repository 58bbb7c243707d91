import { uuidIn } from '../../integrity/identifiers/identifiers.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { detailLength, type SentEvent } from '../gateway/events.ts';
import type { SentExchange } from '../gateway/exchanges.ts';
import type { SentBody } from '../gateway/sent-bytes.ts';
import { type Attributes, isAboutAi, isTool, type Meaning, messagesIn, toldBy } from './conventions.ts';
import type { Rejected, Span } from './spans.ts';

/** What a span reports. */
export type Report = { readonly exchange: SentExchange } | { readonly event: SentEvent };

/** Names of services, to the ids of their agents. */
export type AgentsOfServices = ReadonlyMap<string, string>;

const agentAttribute = 'cairn.agent_id';
const projectAttribute = 'cairn.project_id';
const inputMessages = 'gen_ai.prompt';
const outputMessages = 'gen_ai.completion';
const longest = 200;
const agentId = /^agent_[a-z2-7]{32}$/;

/** What the spans of a request report. Those that are not about generative AI report nothing. */
export function* reportsOf(spans: readonly Span[], services: AgentsOfServices): Generator<Report | Rejected> {
  const byId = new Map(spans.map((span) => [sourceIdOf(span, span.id), span]));
  const trees = { byId, found: new Map<string, string>() };
  for (const span of spans) if (isAboutAi(span.attributes)) yield reportOf(span, services, trees);
}

interface Trees {
  readonly byId: ReadonlyMap<string, Span>;
  /** Exchanges by the spans that have led to them, so that each span of a deep trace is passed once. */
  readonly found: Map<string, string>;
}

/** A call of a tool is an event, and everything else an exchange. */
function reportOf(span: Span, services: AgentsOfServices, trees: Trees): Report | Rejected {
  const agent = agentOf(span, services);
  if (agent === undefined)
    return {
      reason: `the span ${span.id} names no agent. Set the attribute ${agentAttribute} on it or on its resource, or name its service in CAIRN_TRACE_AGENTS`,
    };
  return isTool(span.attributes)
    ? { event: eventOf(span, agent, trees) }
    : { exchange: exchangeOf(span, agent) };
}

/**
 * Steps in which tools were called without an agent or a model above them. They become exchanges, so that no call is lost.
 * @param callers agents of the calls, by the source ids that these name.
 */
export function* stepsWithCalls(
  spans: readonly Span[],
  callers: ReadonlyMap<string, string>,
): Generator<Report> {
  for (const span of spans) {
    const agent = callers.get(sourceIdOf(span, span.id));
    if (agent !== undefined && !isExchange(span)) yield { exchange: exchangeOf(span, agent) };
  }
}

/** The source ids of spans that report no exchange by themselves. */
export function stepIdsOf(spans: readonly Span[]): string[] {
  return spans.filter((span) => !isExchange(span)).map((span) => sourceIdOf(span, span.id));
}

function isExchange({ attributes }: Span): boolean {
  return isAboutAi(attributes) && !isTool(attributes);
}

/**
 * The id of the exchange in which a tool was called: the closest span above that is one, as far as the request has them.
 * Exporters send the end of a call before the span above it, so the exchange may arrive later.
 */
function exchangeAbove(span: Span, { byId, found }: Trees): string {
  const way: string[] = [];
  let above = sourceIdOf(span, span.parentId ?? span.id);
  while (way.length < byId.size) {
    const parent = byId.get(above);
    if (!parent?.parentId || isExchange(parent)) break;
    way.push(above);
    above = found.get(above) ?? sourceIdOf(parent, parent.parentId);
  }
  for (const id of way) found.set(id, above);
  return above;
}

/** `cairn.agent_id` of the span or its resource; an agent id in `gen_ai.agent.id`; or the agent of `service.name`. */
function agentOf({ attributes, resource }: Span, services: AgentsOfServices): string | undefined {
  const told = attributes.get(agentAttribute) ?? resource.get(agentAttribute);
  if (typeof told === 'string' && told !== '') return told;
  const named = toldBy(attributes, 'agent');
  if (typeof named === 'string' && agentId.test(named)) return named;
  return services.get(String(resource.get('service.name')));
}

function exchangeOf(span: Span, agent: string): SentExchange {
  const { attributes, resource, start, end } = span;
  const project = attributes.get(projectAttribute) ?? resource.get(projectAttribute);
  const uuid = typeof project === 'string' ? uuidIn(project) : undefined;
  return {
    sourceId: sourceIdOf(span, span.id),
    agentId: agent,
    projectUrn: uuid === undefined ? null : `urn:uuid:${uuid}`,
    candidateProjectUrn: null,
    occurredAt: start,
    durationMs: end - start,
    outcome: hasFailed(span) ? 'error' : 'ok',
    model: textOf(attributes, 'model'),
    inputTokens: countOf(attributes, 'inputTokens'),
    outputTokens: countOf(attributes, 'outputTokens'),
    correlationId: span.traceId,
    requestBody: bodyOf(toldBy(attributes, 'input') ?? messagesIn(attributes, inputMessages)),
    responseBody: bodyOf(toldBy(attributes, 'output') ?? messagesIn(attributes, outputMessages)),
  };
}

function eventOf(span: Span, agent: string, trees: Trees): SentEvent {
  const { attributes } = span;
  const detail: [string, unknown][] = [
    ['tool', textOf(attributes, 'tool') ?? span.name],
    ['type', toldBy(attributes, 'toolType')],
    ['call', toldBy(attributes, 'toolCall')],
    [
      'arguments',
      parsed(toldBy(attributes, 'toolArguments') ?? messagesIn(attributes, inputMessages), strictJson),
    ],
    [
      'result',
      parsed(toldBy(attributes, 'toolResult') ?? messagesIn(attributes, outputMessages), strictJson),
    ],
    ['outcome', hasFailed(span) ? 'error' : 'ok'],
    ['error', toldBy(attributes, 'error')],
    ['duration_ms', span.end - span.start],
  ];
  return {
    sourceId: sourceIdOf(span, span.id),
    agentId: agent,
    exchangeKey: null,
    exchangeSourceId: exchangeAbove(span, trees),
    kind: 'tool-call',
    occurredAt: span.start,
    detail: withoutLongParts(Object.fromEntries(detail.filter(([, value]) => value !== undefined))),
  };
}

/** That a tool was called matters more than all that it answered. The longest part is left out first. */
function withoutLongParts(detail: JsonObject): JsonObject {
  const left: string[] = [];
  const lengthOf = (part: string) => JSON.stringify(detail[part]).length;
  const parts = ['arguments', 'result'].filter((part) => part in detail);
  let fitting = detail;
  for (const part of parts.sort((one, other) => lengthOf(other) - lengthOf(one))) {
    if (JSON.stringify(fitting).length <= detailLength) break;
    left.push(part);
    const kept = Object.entries(detail).filter(([name]) => !left.includes(name));
    fitting = { ...Object.fromEntries(kept), left_out: left };
  }
  return fitting;
}

/** A repeat has the same id. */
function sourceIdOf({ traceId }: Span, spanId: string): string {
  return `otlp/${traceId}/${spanId}`;
}

function hasFailed({ hasFailed, attributes }: Span): boolean {
  return hasFailed || toldBy(attributes, 'error') !== undefined;
}

function textOf(attributes: Attributes, meaning: Meaning): string | null {
  const value = toldBy(attributes, meaning);
  const text =
    typeof value === 'string'
      ? value
          .replaceAll(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, longest)
          .toWellFormed()
      : '';
  return text === '' ? null : text;
}

function countOf(attributes: Attributes, meaning: Meaning): number | null {
  const value = toldBy(attributes, meaning);
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}

/** Many exporters can only send texts, so messages may be JSON in a text. */
function parsed(value: unknown, parse: (text: string) => unknown = JSON.parse): unknown {
  if (typeof value !== 'string') return value;
  try {
    const inside = parse(value);
    return isObject(inside) || Array.isArray(inside) ? inside : value;
  } catch {
    return value;
  }
}

const deepest = 64;

/** Records have no numbers and texts that RFC 8785 cannot write, such as half of an emoji. */
function strictJson(text: string): unknown {
  return parseStrictJson(Buffer.from(text), { maxDepth: deepest, exactNumbers: false });
}

function bodyOf(value: unknown): SentBody | null {
  if (value === undefined) return null;
  const content = parsed(value);
  const [contentType, text] =
    typeof content === 'string'
      ? ['text/plain; charset=utf-8', content]
      : ['application/json', JSON.stringify(content as JsonObject)];
  return { contentType, base64: Buffer.from(text).toString('base64') };
}
