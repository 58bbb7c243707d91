import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly keys: { readonly keys: readonly object[] };
  token(claims: JWTPayload): Promise<string>;
}

const kid = 'one';

/** An issuer that publishes one RSA key and signs claims. */
export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] };
  const server = createServer((request, response) => {
    const isKeys = request.url === '/jwks';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? keys : { issuer: url, jwks_uri: `${url}/jwks` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    keys,
    token: async (claims) =>
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
        .setIssuer(url)
        .setIssuedAt()
        .setExpirationTime('2h')
        .sign(privateKey),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
