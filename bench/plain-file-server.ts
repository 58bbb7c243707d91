import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// The plain file server: streams a file to the answer, or a request to a file that it syncs.

const folder = process.argv[2] ?? '.';

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(folder, request.url ?? '');
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(path, { flush: true }));
    response.end('stored');
  } else {
    response.setHeader('content-length', (await stat(path)).size);
    await pipeline(createReadStream(path), response);
  }
}

const server = createServer(answer).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
