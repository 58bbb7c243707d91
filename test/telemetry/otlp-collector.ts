import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentId: string;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Of all requests, as text. */
  readonly bodies: readonly string[];
}

/** An OTLP collector on this machine. A `silent` one accepts requests and never answers. */
export async function startCollector({ silent = false } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    bodies.push(body.toString('latin1'));
    for (const resource of members(body, 1))
      for (const scope of members(resource, 2)) spans.push(...members(scope, 2).map(spanOf));
    if (!silent) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto. */
function spanOf(span: Uint8Array): CollectedSpan {
  const [traceId = '', spanId = '', parentId = ''] = [1, 2, 4].map((field) =>
    Buffer.from(members(span, field)[0] ?? []).toString('hex'),
  );
  return { name: Buffer.from(members(span, 5)[0] ?? []).toString(), traceId, spanId, parentId };
}

/** The length-delimited members of a protobuf message with a field number. */
function members(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wire = tag % 8;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else {
      const length = varint();
      if (Math.floor(tag / 8) === wanted) found.push(message.subarray(at, at + length));
      at += length;
    }
  }
  return found;
}
