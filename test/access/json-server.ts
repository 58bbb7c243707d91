import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

export interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface JsonServer extends AsyncDisposable {
  readonly url: string;
}

/** A server on this machine with scripted answers. `'reset'` cuts the connection. */
export async function startJsonServer(
  answer: (request: JsonRequest, url: string) => JsonAnswer | 'reset' | Promise<JsonAnswer>,
): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const answered = await answer({ method, path, headers, body: await text(request) }, url);
    if (answered === 'reset') return void request.socket.resetAndDestroy();
    response.writeHead(answered.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answered.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
