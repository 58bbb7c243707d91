import type { Context, MiddlewareHandler } from 'hono';
import { tracesAnswer, tracesRequest } from '../../contract/control-plane/traces.ts';
import { errorBody } from '../../contract/errors.ts';
import type { GatewayPorts } from '../../domain/control-plane/gateway/ports.ts';
import { type KeptTraces, keepTraces } from '../../domain/control-plane/traces/keep-traces.ts';
import type { AgentsOfServices } from '../../domain/control-plane/traces/reports.ts';
import { ServiceError } from '../../domain/errors.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { withWholeCharacters } from '../../domain/json/whole-characters.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import { readCompressibleBody } from '../../platform/http/compressed-body.ts';
import { otlpCodec } from '../../platform/otlp.ts';
import { wholeAnswer } from '../answering.ts';
import { allAnswers, jsonAnswer } from '../answers.ts';
import type { JsonLimits } from '../parsed-request.ts';
import { type GatewayApp, gatewayOperation } from './gateway-operation.ts';

const protobuf = 'application/x-protobuf';
const json = 'application/json';
const reasonsTold = 10;

export interface TraceRoutes extends GatewayPorts {
  readonly limits: JsonLimits;
  readonly services: AgentsOfServices;
}

/** The codes of gRPC that problems have in protobuf, by status (google.rpc.Code). */
const rpcCodes: Readonly<Record<number, number>> = {
  401: 16,
  403: 7,
  408: 4,
  413: 8,
  429: 8,
  500: 13,
  503: 14,
  507: 8,
};
const invalidArgument = 3;

/** Who sends protobuf gets errors in protobuf (OTLP/HTTP 1.x, Failures). */
const protobufErrors: MiddlewareHandler = async (context, next) => {
  await next();
  const { status } = context.res;
  if (status < 400 || !context.req.header('content-type')?.startsWith(protobuf)) return;
  const { error: message } = errorBody.parse(await context.res.json());
  const headers = new Headers(context.res.headers);
  headers.set('content-type', protobuf);
  const code = rpcCodes[status] ?? invalidArgument;
  const body = new Uint8Array((await otlpCodec()).encodeProblem({ code, message }));
  context.res = new Response(body, { status, headers });
};

const binary = { schema: { type: 'string', format: 'binary' } } as const;

/** The errors that every operation can answer, in protobuf too. */
function errorsInBoth(): typeof noErrors {
  const errors = Object.entries(allAnswers({}, { isPublic: false, hasBody: true }));
  const inBoth = errors.map(([status, answer]) => {
    if (!('content' in answer)) return [status, answer];
    return [status, { ...answer, content: { ...answer.content, [protobuf]: binary } }];
  });
  return Object.fromEntries(inBoth);
}
const noErrors = {};

/** Where OpenTelemetry SDKs and collectors send traces (OTLP/HTTP 1.x). */
export function traceRoutes(app: GatewayApp, { limits, services, ...ports }: TraceRoutes): void {
  app.use('/v1/traces', protobufErrors);
  gatewayOperation(app, 'POST /v1/traces', {
    access: 'audit-exchanges',
    audit: 'queued',
    tag: 'Gateway',
    summary: 'Report what agents do as OpenTelemetry traces',
    description:
      'OTLP/HTTP in protobuf or JSON, also compressed with gzip. Spans of the conventions for generative AI become audit exchanges, and calls of tools become plugin events. Other spans are ignored. A span that is not accepted stops no other, and a repeat changes nothing.',
    body: {
      [json]: { schema: tracesRequest },
      [protobuf]: binary,
    },
    answers: {
      ...errorsInBoth(),
      200: {
        ...jsonAnswer('What was not accepted', tracesAnswer),
        content: {
          [json]: { schema: tracesAnswer },
          [protobuf]: binary,
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
      // Not every exporter shows what the answer says.
      if (partial.partialSuccess) context.get('log').warn(partial.partialSuccess, 'Spans were not accepted.');
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
  if (type === json) {
    const request = parseStrictJson(withWholeCharacters(bytes), { maxDepth, exactNumbers: false });
    return { type, request };
  }
  const codec = await otlpCodec();
  try {
    return { type, request: codec.decode(bytes) };
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is no OTLP trace request in protobuf.', { cause });
  }
}
