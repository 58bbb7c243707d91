import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { IdentityProvider } from '../../src/platform/sign-in/identity-provider.ts';
import { OidcIssuer } from '../../src/platform/tokens/oidc-issuer.ts';

let passed = 0;
const now = () => new Date(Date.now() + passed);

interface Metadata {
  readonly [name: string]: string;
}

/** An issuer with any metadata that answers all other requests with `answer`. */
async function startIssuer(metadataOf: (port: number) => Metadata, answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const path = request.url ?? '';
    asked.push(path);
    if (path.startsWith('/.well-known/')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer: `http://127.0.0.1:${port}`, ...metadataOf(port) }));
    } else if (path === '/jwks') {
      response.end('{"keys":[]}');
    } else {
      answer(request, response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = new OidcIssuer({
    issuer: `http://127.0.0.1:${port}`,
    now,
    onError: () => undefined,
  });
  const provider = new IdentityProvider({
    issuer,
    clientId: 'cairn',
    clientSecret: 'the client secret',
    redirectUrl: 'https://plane.example/v1/auth/callback/idp',
    scopes: ['openid'],
    audience: null,
  });
  return { provider, asked, [Symbol.asyncDispose]: async () => void server.close() };
}

const local = (port: number): Metadata => ({
  authorization_endpoint: `http://127.0.0.1:${port}/authorize`,
  token_endpoint: `http://127.0.0.1:${port}/token`,
  jwks_uri: `http://127.0.0.1:${port}/jwks`,
});

async function comeBack(provider: IdentityProvider) {
  const { pending } = await provider.begin();
  return await provider.finish(new URLSearchParams({ code: 'a', state: pending.state }), pending);
}

test('the client secret is never sent to an address without https', async () => {
  // 0.0.0.0 is not a loopback name, but leads to this machine.
  await using issuer = await startIssuer(
    (port) => ({ ...local(port), token_endpoint: `http://0.0.0.0:${port}/token` }),
    (_request, response) => void response.end('{}'),
  );
  await expect(comeBack(issuer.provider)).rejects.toMatchObject({
    problem: 'unavailable',
    reason: expect.stringContaining('https'),
  });
  expect(issuer.asked).not.toContain('/token');
});

test('a provider that refuses the client secret counts as failed, not as unavailable', async () => {
  await using issuer = await startIssuer(local, (_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="idp"' });
    response.end('{"error":"invalid_client"}');
  });
  await expect(comeBack(issuer.provider)).rejects.toMatchObject({ problem: 'failed' });
  expect(issuer.asked).toContain('/token');
});

test('changed metadata of the provider are used after a few minutes', async () => {
  let path = '/authorize';
  await using issuer = await startIssuer(
    (port) => ({ ...local(port), authorization_endpoint: `http://127.0.0.1:${port}${path}` }),
    (_request, response) => void response.end('{}'),
  );
  const pathOf = async () => (await issuer.provider.begin()).address.pathname;
  expect(await pathOf()).toBe('/authorize');
  path = '/new';
  passed += 6 * 60_000;
  await expect.poll(pathOf).toBe('/new');
});
