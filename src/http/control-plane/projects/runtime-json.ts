import type { Context } from 'hono';
import type { z } from 'zod';
import type { exchange, pluginEvent, state } from '../../../contract/control-plane/runtime-records.ts';
import { fileName } from '../../../contract/words/file-name.ts';
import type { Bucket } from '../../../domain/bucket.ts';
import type {
  AuditExchange,
  PluginEvent,
  SealedBody,
  SealedPart,
  StateRecord,
} from '../../../domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../../domain/control-plane/gateway/sealed-contents.ts';
import type { InProject, Visible } from '../../../domain/control-plane/projects/runtime-reads.ts';
import type { AppEnv } from '../../../platform/http/app-env.ts';
import { type Answered, type JsonPieces, wholeAnswer } from '../../answering.ts';
import { isoTime } from '../../answers.ts';
import { disposition } from '../../download-name.ts';

function belongingOf({ projectUrn, agentId, exchangeKey }: Visible<Pick<PluginEvent, 'agentId'>>) {
  return { project_urn: projectUrn, agent_id: agentId, exchange_key: exchangeKey };
}

export function exchangeJson(one: InProject<AuditExchange>): z.output<typeof exchange> {
  return {
    ...belongingOf(one),
    occurred_at: isoTime(one.occurredAt),
    duration_ms: one.durationMs,
    outcome: one.outcome,
    model: one.model,
    input_tokens: one.inputTokens ?? null,
    output_tokens: one.outputTokens ?? null,
    correlation_id: one.correlationId,
    request_body: bodyJson(one.requestBody),
    response_body: bodyJson(one.responseBody),
  };
}

function bodyJson(body: SealedBody | null) {
  return body && { content_type: body.contentType, size: body.size };
}

/** The JSON of events, whose details are stored as JSON. */
export function* jsonOfEvents(
  events: Iterable<Visible<PluginEvent>>,
): Generator<JsonPieces<z.output<typeof pluginEvent>>> {
  for (const one of events) {
    const { id, kind, occurredAt, detail } = one;
    const rest: Omit<z.output<typeof pluginEvent>, 'detail'> = {
      id,
      ...belongingOf(one),
      kind,
      occurred_at: isoTime(occurredAt),
    };
    yield [`${JSON.stringify(rest).slice(0, -1)},"detail":`, detail, '}'];
  }
}

export function stateJson(one: Visible<StateRecord>): z.output<typeof state> {
  const { stateCid, occurredAt, children } = one;
  return { state_cid: stateCid, ...belongingOf(one), occurred_at: isoTime(occurredAt), children };
}

/** RFC 9110, section 8.3.1. Other texts could not be sent as a header. */
const mediaType = /^[\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127}(?:;[\t\x20-\x7e]{0,500})?$/;
const unknownType = 'application/octet-stream';

/** Browsers must download what an agent sent, and never run or render it in the name of this service. */
const cautions = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Answers the bytes of a record, after they were compared with their CID. @throws ServiceError `damaged`. */
export async function sealedAnswer<Caller>(
  context: Context<AppEnv<Caller>>,
  contents: Pick<Bucket, 'read'>,
  part: SealedPart,
  { name, contentType = unknownType }: { readonly name: string; readonly contentType?: string },
): Promise<Answered> {
  using reading = context.get('account').another();
  reading.take(part.size);
  const bytes = await readSealed(contents, part);
  reading[Symbol.dispose]();
  const type = mediaType.test(contentType) ? contentType : unknownType;
  const named = disposition(`${fileName(name, 'download')}${extensionOf(type)}`);
  return wholeAnswer(context, bytes, { ...cautions, 'content-type': type, 'content-disposition': named });
}

/** Nothing that a program runs. */
function extensionOf(type: string): string {
  if (/^application\/(?:[\w.-]*\+)?json\b/.test(type)) return '.json';
  return type.startsWith('text/') ? '.txt' : '';
}
