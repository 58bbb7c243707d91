import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface GateRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
  /** Number of earlier requests for this path. */
  readonly earlier: number;
}

/** The fate of a request: it passes, gets an answer here or never gets one, or loses its connection. */
export type Verdict =
  | 'pass'
  | 'never'
  | 'lose'
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string | Uint8Array;
    };

export interface Gate extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly GateRequest[];
}

/** A proxy in front of the service that decides about each request. */
export async function openGate(
  target: string,
  decide: (request: GateRequest) => Verdict | Promise<Verdict>,
): Promise<Gate> {
  const requests: GateRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const body = await buffer(incoming).catch(() => Buffer.alloc(0));
    const request = {
      method,
      path,
      body,
      headers,
      earlier: requests.filter((one) => one.path === path).length,
    };
    requests.push(request);
    const verdict = await decide(request);
    if (verdict === 'pass') await forward(target, request, outgoing).catch(() => outgoing.destroy());
    else if (verdict === 'lose') outgoing.destroy();
    else if (verdict !== 'never') outgoing.writeHead(verdict.status, verdict.headers).end(verdict.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function forward(
  target: string,
  { method, path, body, headers }: GateRequest,
  outgoing: ServerResponse,
): Promise<void> {
  const sent = ['content-type', 'range', 'if-range', 'accept', 'prefer'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const answer = await fetch(target + path, {
    method,
    headers: Object.fromEntries(sent),
    ...(method !== 'GET' && { body: new Uint8Array(body) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const kept = ['content-type', 'content-range', 'etag', 'location'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  outgoing
    .writeHead(answer.status, { ...Object.fromEntries(kept), 'content-length': bytes.length })
    .end(bytes);
}
