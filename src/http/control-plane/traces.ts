import type { Context } from 'hono';
import { tracesAnswer, tracesRequest } from '../../contract/control-plane/traces.ts';
import type { GatewayPorts } from '../../domain/control-plane/gateway/ports.ts';
import { type KeptTraces, keepTraces } from '../../domain/control-plane/traces/keep-traces.ts';
import type { AgentsOfServices } from '../../domain/control-plane/traces/reports.ts';
import { ServiceError } from '../../domain/errors.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import { readCompressibleBody } from '../../platform/http/compressed-body.ts';
import { otlpCodec } from '../../platform/otlp.ts';
import { wholeAnswer } from '../answering.ts';
import { jsonAnswer } from '../answers.ts';
import type { JsonLimits } from '../parsed-request.ts';
import { type GatewayApp, gatewayOperation } from './gateway-operation.ts';

const protobuf = 'application/x-protobuf';
const json = 'application/json';
const reasonsTold = 10;

export interface TraceRoutes extends GatewayPorts {
  readonly limits: JsonLimits;
  readonly services: AgentsOfServices;
}

/** Where OpenTelemetry SDKs and collectors send traces (OTLP/HTTP 1.x). */
export function traceRoutes(app: GatewayApp, { limits, services, ...ports }: TraceRoutes): void {
  gatewayOperation(app, 'POST /v1/traces', {
    access: 'audit-exchanges',
    audit: 'queued',
    tag: 'Gateway',
    summary: 'Report what agents do as OpenTelemetry traces',
    description:
      'OTLP/HTTP in protobuf or JSON, also compressed with gzip. Spans of the conventions for generative AI become audit exchanges, and calls of tools become plugin events. Other spans are ignored. A span that is not accepted stops no other, and a repeat changes nothing.',
    body: {
      [json]: { schema: tracesRequest },
      [protobuf]: { schema: { type: 'string', format: 'binary' } },
    },
    answers: {
      200: {
        ...jsonAnswer('What was not accepted', tracesAnswer),
        content: {
          [json]: { schema: tracesAnswer },
          [protobuf]: { schema: { type: 'string', format: 'binary' } },
        },
      },
    },
    handle: async ({ context, answer, principal }) => {
      if (!principal.scopes.has('plugin-events'))
        throw new ServiceError(
          'forbidden',
          'The gateway credential lacks the scope "plugin-events", which calls of tools need. Make one with "cairn gateway-token".',
        );
      const { type, request } = await requestIn(context, limits);
      const kept = await keepTraces(ports, services, request);
      note(context, {
        details: { exchanges: kept.exchanges, events: kept.events, rejected: kept.rejected.length },
      });
      const partial = partialOf(kept);
      if (type === json) return answer(200, partial);
      return wholeAnswer(context, (await otlpCodec()).encodeResponse(partial), { 'content-type': protobuf });
    },
  });
}

function partialOf({ rejected }: KeptTraces) {
  if (rejected.length === 0) return {};
  const told = [...new Set(rejected)].slice(0, reasonsTold).join('; ');
  return { partialSuccess: { rejectedSpans: String(rejected.length), errorMessage: `${told}.` } };
}

async function requestIn(context: Context, { maxJsonBytes, maxJsonDepth: maxDepth }: JsonLimits) {
  const limit = { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' };
  const { type, bytes } = await readCompressibleBody(context, [protobuf, json], limit);
  // The parsed spans take about as much again.
  context.get('account').take(bytes.length);
  if (type === json) return { type, request: parseStrictJson(bytes, { maxDepth, exactNumbers: false }) };
  const codec = await otlpCodec();
  try {
    return { type, request: codec.decode(bytes) };
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is no OTLP trace request in protobuf.', { cause });
  }
}
