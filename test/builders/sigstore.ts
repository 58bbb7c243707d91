import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { bundleToJSON } from '@sigstore/bundle';
import { fulcioHandler, initializeCA, initializeCTLog, initializeTLog, rekorHandler } from '@sigstore/mock';
import { DSSEBundleBuilder, FulcioSigner, MessageSignatureBundleBuilder, RekorWitness } from '@sigstore/sign';

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64 = (bytes: ArrayBufferView) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
const from2020 = { start: '2020-01-01T00:00:00Z' };

export interface SigstoreInstance extends AsyncDisposable {
  readonly trustedRoot: object;
  /** Signs a payload and returns the JSON of the bundle, of the named version. */
  sign(payload: string, options?: { type?: string; old?: boolean; asMessage?: boolean }): Promise<BundleJson>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of it
export type BundleJson = any;

/** An instance of Sigstore on this machine: a certificate authority, a transparency log, and a log of certificates. */
export async function startSigstore(
  identity = 'ada@example.com',
  issuer = 'https://issuer.example',
): Promise<SigstoreInstance> {
  const ctlog = await initializeCTLog(p256());
  const ca = await initializeCA(p256(), ctlog);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tlog = await initializeTLog(url, p256());
  const handlers = [fulcioHandler(ca), rekorHandler(tlog)];
  server.on('request', async (request, response) => {
    const handler = handlers.find(({ path }) => path === request.url);
    const answer = (await handler?.fn(await text(request))) ?? { statusCode: 404, response: '' };
    response.writeHead(answer.statusCode, { 'content-type': answer.contentType ?? 'text/plain' });
    response.end(answer.response);
  });
  const claims = { iss: issuer, sub: identity, aud: 'sigstore', email: identity, email_verified: true };
  const token = [{ alg: 'none' }, claims, {}].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signer = () =>
    new FulcioSigner({ fulcioBaseURL: url, identityProvider: { getToken: async () => token.join('.') } });
  const log = (publicKey: Buffer, logId: string) => ({
    baseUrl: url,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: publicKey.toString('base64'),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: from2020,
    },
    logId: { keyId: logId },
  });
  const tlogId = createHash('sha256').update(tlog.publicKey).digest('base64');
  return {
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(tlog.publicKey, tlogId)],
      certificateAuthorities: [
        {
          subject: { organization: 'example', commonName: 'example' },
          uri: url,
          certChain: { certificates: [{ rawBytes: base64(ca.rootCertificate) }] },
          validFor: from2020,
        },
      ],
      ctlogs: [log(ctlog.publicKey, base64(ctlog.logID))],
      timestampAuthorities: [],
    },
    async sign(payload, { type = 'application/vnd.in-toto+json', old = false, asMessage = false } = {}) {
      const witnesses = [new RekorWitness({ rekorBaseURL: url, entryType: 'intoto' })];
      const builder = asMessage
        ? new MessageSignatureBundleBuilder({ signer: signer(), witnesses })
        : new DSSEBundleBuilder({ signer: signer(), witnesses, certificateChain: old });
      return bundleToJSON(await builder.create({ data: Buffer.from(payload), type }));
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
