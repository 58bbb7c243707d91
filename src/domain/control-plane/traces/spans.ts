import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { Attributes } from './conventions.ts';

/** A span of an OTLP request. */
export interface Span {
  /** Hex. */
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly hasFailed: boolean;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** Why a span is not accepted. */
export interface Rejected {
  readonly reason: string;
}

const errorStatus = 2;
const nanosecondsPerMs = 1_000_000n;
const deepest = 20;

/**
 * The spans of an ExportTraceServiceRequest in its JSON form (OTLP 1.x, JSON Protobuf encoding). Unknown members are ignored.
 */
export function* spansIn(request: unknown): Generator<Span | Rejected> {
  for (const ofResource of listIn(request, 'resourceSpans')) {
    const resource = attributesIn(ofResource.resource);
    for (const ofScope of listIn(ofResource, 'scopeSpans'))
      for (const span of listIn(ofScope, 'spans')) yield readSpan(span, resource);
  }
}

function readSpan(span: JsonObject, resource: Attributes): Span | Rejected {
  const [traceId, id] = [hex(span.traceId, 32), hex(span.spanId, 16)];
  if (traceId === null || id === null)
    return { reason: 'a span has no traceId of 16 bytes or no spanId of 8 bytes' };
  const [start, end] = [milliseconds(span.startTimeUnixNano), milliseconds(span.endTimeUnixNano)];
  if (start === null || end === null || end < start)
    return { reason: `the span ${id} has no start and end, or ends before it starts` };
  return {
    traceId,
    id,
    parentId: hex(span.parentSpanId, 16),
    name: typeof span.name === 'string' ? span.name : '',
    start,
    end,
    hasFailed:
      isObject(span.status) && [errorStatus, 'STATUS_CODE_ERROR'].includes(span.status.code as never),
    // Before version 1.37 of the conventions, contents were attributes of events.
    attributes: new Map([
      ...listIn(span, 'events').flatMap((event, at) => [...eventAttributes(event, at)]),
      ...attributesIn(span),
    ]),
    resource,
  };
}

/** Messages are events of their own, and are numbered like those that stand in attributes of the span. */
function eventAttributes(event: JsonObject, at: number): Map<string, unknown> {
  const attributes = attributesIn(event);
  const [, role, isChoice] = /^gen_ai\.(?:(\w+)\.message|(choice))$/.exec(String(event.name)) ?? [];
  if (role === undefined && isChoice === undefined) return attributes;
  const message = `${isChoice ? 'gen_ai.completion' : 'gen_ai.prompt'}.${at}`;
  const named = [...attributes].map(([name, value]) => [`${message}.${name}`, value] as const);
  return new Map([...(role === undefined ? [] : [[`${message}.role`, role] as const]), ...named]);
}

function listIn(value: unknown, member: string): JsonObject[] {
  const list = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** All zeros mean that there is none. */
function hex(value: unknown, length: number): string | null {
  if (typeof value !== 'string' || value.length !== length || !/^[\da-f]+$/i.test(value)) return null;
  return /^0+$/.test(value) ? null : value.toLowerCase();
}

/** Of nanoseconds, which JSON has as text. */
function milliseconds(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value);
  if (!/^\d{1,20}$/.test(text) || /^0+$/.test(text)) return null;
  return Number(BigInt(text) / nanosecondsPerMs);
}

function attributesIn(value: unknown): Map<string, unknown> {
  return new Map(
    listIn(value, 'attributes').flatMap(({ key, value: any }) =>
      typeof key === 'string' ? [[key, plain(any)] as const] : [],
    ),
  );
}

/** An AnyValue as JSON. What is nested more deeply is left out. */
function plain(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > deepest) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (intValue !== undefined) return Number.isFinite(Number(intValue)) ? Number(intValue) : null;
  if (arrayValue !== undefined) return listIn(arrayValue, 'values').map((one) => plain(one, depth + 1));
  if (kvlistValue !== undefined) {
    const members = listIn(kvlistValue, 'values').map(({ key, value: one }) => [
      String(key),
      plain(one, depth + 1),
    ]);
    return Object.fromEntries(members);
  }
  return stringValue ?? boolValue ?? doubleValue ?? bytesValue ?? null;
}
