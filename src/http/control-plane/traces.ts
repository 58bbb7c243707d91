import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from 'hono';
import { tracesAnswer, tracesRequest } from '../../contract/control-plane/traces.ts';
import type { GatewayPorts } from '../../domain/control-plane/gateway/ports.ts';
import { type KeptTraces, keepTraces } from '../../domain/control-plane/traces/keep-traces.ts';
import type { AgentsOfServices } from '../../domain/control-plane/traces/reports.ts';
import { ServiceError } from '../../domain/errors.ts';
import { throwTooLarge } from '../../domain/integrity/blobs/upload.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import { acceptedType, readBody } from '../../platform/http/body.ts';
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
      const type = acceptedType(context, [protobuf, json]);
      const request = await requestIn(context, type, limits);
      if (!principal.scopes.has('plugin-events'))
        throw new ServiceError(
          'forbidden',
          'The gateway credential lacks the scope "plugin-events", which calls of tools need. Make one with "cairn gateway-token".',
        );
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

async function requestIn(context: Context, type: string, { maxJsonBytes, maxJsonDepth }: JsonLimits) {
  const limit = { bytes: maxJsonBytes, setting: 'CAIRN_MAX_JSON_BYTES' };
  const sent = await readBody(context, limit);
  const bytes = isGzip(context) ? await unzipped(context, sent, limit) : sent;
  // The parsed spans take about as much again.
  context.get('account').take(bytes.length);
  if (type === json) return parseStrictJson(bytes, { maxDepth: maxJsonDepth, exactNumbers: false });
  const codec = await otlpCodec();
  try {
    return codec.decode(bytes);
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is no OTLP trace request in protobuf.', { cause });
  }
}

function isGzip(context: Context): boolean {
  const encoding = (context.req.header('content-encoding') ?? 'identity').toLowerCase();
  if (['identity', 'gzip'].includes(encoding)) return encoding === 'gzip';
  throw new ServiceError(
    'unsupported_media_type',
    `Content-Encoding "${encoding.slice(0, 100)}" is not accepted. Use gzip, or none.`,
  );
}

async function unzipped(context: Context, bytes: Uint8Array, limit: { bytes: number; setting: string }) {
  try {
    const unzipped = await promisify(gunzip)(bytes, { maxOutputLength: limit.bytes });
    context.get('account').take(unzipped.length);
    return unzipped;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throwTooLarge(limit);
    throw new ServiceError('invalid_request', 'The body is no complete gzip stream.', { cause: error });
  }
}
