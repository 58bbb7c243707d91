import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { OidcIssuer } from '../src/platform/tokens/oidc-issuer.ts';
import { startIssuer } from './access/issuer.ts';
import { batchBody, batchSize, putBatch, registerGraph } from './batch-ingestion.ts';
import { median, rate, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// The cost of authentication: verifying a token compared with plain jose, and batches with and without tokens.

const tokens = Number(process.env.TOKENS ?? 3_000);
const batches = Number(process.env.BATCHES ?? 100);
const pairs = Number(process.env.PAIRS ?? 5);
const audience = 'bench';
const namespace = 'https://cairn.example';

await using issuer = await startIssuer();
const claims = {
  sub: 'ada',
  aud: audience,
  [`${namespace}/permissions`]: { '*': ['create_projects', 'create_declarations', 'view_project_data'] },
};
const token = await issuer.token(claims);

async function verification() {
  const now = () => new Date();
  const onError = (error: Error) => {
    throw error;
  };
  const ours = new OidcIssuer({ issuer: issuer.url, now, onError });
  const expected = { audience, use: 'access-token' } as const;
  const verifier = ours.verifier(expected);
  const known = createLocalJWKSet(issuer.keys as Parameters<typeof createLocalJWKSet>[0]);
  const checks = { algorithms: ['RS256'], issuer: issuer.url, audience };
  const repeated = (work: () => unknown) => async () => {
    for (let n = 0; n < tokens; n += 1) await work();
  };
  await verifier.verify(token);
  const [plain, uncached, cached]: [number[], number[], number[]] = [[], [], []];
  // Alternating, so that other load on the machine affects both alike.
  for (let pair = 0; pair < pairs; pair += 1) {
    plain.push(
      await rate(
        tokens,
        repeated(() => jwtVerify(token, known, checks)),
        1,
      ),
    );
    uncached.push(
      await rate(
        tokens,
        repeated(() => ours.verify(token, expected)),
        1,
      ),
    );
    cached.push(
      await rate(
        tokens,
        repeated(() => verifier.known(token)),
        1,
      ),
    );
  }
  const row = (what: string, rates: readonly number[]) => ({
    what,
    'tokens/s': median(rates),
    ratio: median(rates.map((one, pair) => one / (plain[pair] ?? Number.NaN))),
  });
  report(`A bearer token of ${token.length} characters, RS256, one thread`, [
    row('plain `jose.jwtVerify`', plain),
    row('Cairn, uncached', uncached),
    row('Cairn, cached', cached),
  ]);
}

/** Milliseconds per batch, alternating between a service with authentication and one without. */
async function batchTimes(folder: string): Promise<{ known: number[]; open: number[] }> {
  const oidc = {
    CAIRN_AUTH_MODE: 'oidc',
    CAIRN_OIDC_ISSUER_URL: issuer.url,
    CAIRN_OIDC_AUDIENCE: audience,
    CAIRN_CLAIM_NAMESPACE: namespace,
  };
  await using asking = await startService(join(folder, 'asking'), oidc, 'integrity');
  await using trusting = await startService(join(folder, 'trusting'), {}, 'integrity');
  const withToken = { url: asking.url, headers: { authorization: `Bearer ${token}` }, times: [] as number[] };
  const without = { url: trusting.url, headers: {}, times: [] as number[] };
  for (const { url, headers } of [withToken, without]) await registerGraph(url, headers);
  for (let batch = 0; batch < batches; batch += 1) {
    const body = batchBody(batch, 0);
    for (const one of batch % 2 === 0 ? [withToken, without] : [without, withToken]) {
      const startedAt = performance.now();
      await putBatch(one.url, body, one.headers);
      one.times.push(performance.now() - startedAt);
    }
  }
  return { known: withToken.times, open: without.times };
}

async function ingestion() {
  const { known, open } = await withFolder(batchTimes);
  const perSecond = (times: readonly number[]) => (batchSize / median(times)) * 1_000;
  report(`Ingestion of ${batches} batches of ${batchSize}, one after the other`, [
    { what: 'without authentication', 'statements/s': perSecond(open), ratio: 1 },
    {
      what: 'with a bearer token (oidc)',
      'statements/s': perSecond(known),
      ratio: median(open.map((time, batch) => time / (known[batch] ?? Number.NaN))),
    },
  ]);
}

await verification();
await ingestion();
