import { createLocalJWKSet, jwtVerify } from 'jose';
import { OidcIssuer } from '../src/platform/oidc-issuer.ts';
import { startIssuer } from './access/issuer.ts';
import { batchSize, ingest } from './batch-ingestion.ts';
import { median, rate, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// What it costs to know who is calling: a token verified beside plain jose, and batches with and without tokens.

const tokens = Number(process.env.TOKENS ?? 3_000);
const batches = Number(process.env.BATCHES ?? 40);
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
  const onFault = (error: Error) => {
    throw error;
  };
  const ours = new OidcIssuer({ issuer: issuer.url, now, onFault });
  const expected = { audience, use: 'access-token' } as const;
  const verifier = ours.verifier(expected);
  const known = createLocalJWKSet(issuer.keys as Parameters<typeof createLocalJWKSet>[0]);
  const checks = { algorithms: ['RS256'], issuer: issuer.url, audience };
  const repeated = (work: () => unknown) => async () => {
    for (let n = 0; n < tokens; n += 1) await work();
  };
  await verifier.verify(token);
  const [plain, uncached, cached]: [number[], number[], number[]] = [[], [], []];
  // In turns: what else the machine does then is as unfair to the one as to the other.
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

async function ingestion() {
  const oidc = {
    CAIRN_AUTH_MODE: 'oidc',
    CAIRN_OIDC_ISSUER_URL: issuer.url,
    CAIRN_OIDC_AUDIENCE: audience,
    CAIRN_CLAIM_NAMESPACE: namespace,
  };
  const measured = async (environment: Record<string, string>, headers: Record<string, string>) =>
    await withFolder(async (folder) => {
      await using service = await startService(folder, environment);
      return await ingest(service.url, 0, batches, headers);
    });
  const open: number[] = [];
  const known: number[] = [];
  // In turns, and each first in turn.
  for (let pair = 0; pair < pairs; pair += 1) {
    const withToken = async () => known.push(await measured(oidc, { authorization: `Bearer ${token}` }));
    if (pair % 2 === 0) await withToken();
    open.push(await measured({ CAIRN_AUTH_MODE: 'disabled' }, {}));
    if (pair % 2 === 1) await withToken();
  }
  const ratios = known.map((ours, pair) => ours / (open[pair] ?? Number.NaN));
  report(`Ingestion of ${batches} batches of ${batchSize}`, [
    { what: 'without authentication', 'statements/s': median(open), ratio: 1 },
    { what: 'with a bearer token (oidc)', 'statements/s': median(known), ratio: median(ratios) },
  ]);
}

await verification();
await ingestion();
