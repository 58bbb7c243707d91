import type { Type } from 'protobufjs';

/**
 * The messages of OTLP 1.x that traces consist of (opentelemetry-proto, `trace/v1`, `common/v1`, `collector/trace/v1`), with
 * the fields that are read, and `google.rpc.Status` as `Problem`. Fields that are not here are skipped.
 */
const messages = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Event events = 11;
  Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
    KeyValueList kvlist_value = 6;
    bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message Response { PartialSuccess partial_success = 1; }
message Problem { int32 code = 1; string message = 2; }
message PartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
`;

export interface OtlpCodec {
  /** A request in its JSON form, with ids in hex. @throws Error if it is no protobuf of this kind. */
  decode(bytes: Uint8Array): unknown;
  encodeResponse(response: object): Uint8Array;
  /** A `google.rpc.Status`. */
  encodeProblem(problem: { readonly code: number; readonly message: string }): Uint8Array;
}

let opened: Promise<OtlpCodec> | undefined;

/** Loads the library when it is first needed. */
export async function otlpCodec(): Promise<OtlpCodec> {
  opened ??= openCodec();
  return await opened;
}

async function openCodec(): Promise<OtlpCodec> {
  const { default: protobuf } = await import('protobufjs');
  const { root } = protobuf.parse(messages);
  const [request, response, problem]: Type[] = ['Request', 'Response', 'Problem'].map((name) =>
    root.lookupType(name),
  );
  const encoded = (type: Type | undefined, value: object) =>
    type?.encode(type.fromObject(value)).finish() ?? new Uint8Array();
  return {
    decode: (bytes) =>
      withHexIds(request?.toObject(request.decode(bytes), { longs: String, bytes: String, json: true })),
    encodeResponse: (answer) => encoded(response, answer),
    encodeProblem: (status) => encoded(problem, status),
  };
}

const idMembers = ['traceId', 'spanId', 'parentSpanId'] as const;

interface Ids {
  resourceSpans?: { scopeSpans?: { spans?: Partial<Record<(typeof idMembers)[number], string>>[] }[] }[];
}

/** JSON has ids in hex, and other bytes in base64 (OTLP 1.x, JSON Protobuf encoding). */
function withHexIds(request: Ids = {}): Ids {
  for (const { scopeSpans = [] } of request.resourceSpans ?? [])
    for (const { spans = [] } of scopeSpans)
      for (const span of spans)
        for (const member of idMembers) {
          const base64 = span[member];
          if (base64 !== undefined) span[member] = Buffer.from(base64, 'base64').toString('hex');
        }
  return request;
}
