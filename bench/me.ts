import { join } from 'node:path';
import autocannon from 'autocannon';
import { logIn } from '../src/domain/control-plane/logins.ts';
import { beginSession, sessions } from '../src/domain/control-plane/sessions.ts';
import { users } from '../src/domain/control-plane/users.ts';
import { Seal } from '../src/platform/sign-in/seal.ts';
import { openStore } from '../src/storage/open.ts';
import { startBareHono } from './bare-process.ts';
import { report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// GET /v1/me with a session over 32 connections, compared with a bare Hono route.

const connections = 32;
const duration = Number(process.env.SECONDS_EACH ?? 8);

async function load(url: string, headers: Record<string, string> = {}) {
  const result = await autocannon({ url: `${url}/v1/me`, connections, duration, headers });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed.`);
  const { p50, p99 } = result.latency;
  return { 'requests/s': result.requests.average, 'p50 ms': p50, 'p99 ms': p99 };
}

/** The cookie of a signed-in browser. */
async function signedIn(dataDir: string): Promise<Record<string, string>> {
  const settings = { dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 };
  await using store = await openStore(settings, () => undefined);
  const identity = {
    issuer: 'https://idp.example',
    subject: 'ada',
    name: 'Ada',
    email: null,
    emailVerified: false,
  };
  const now = () => new Date();
  const ports = { users: store.of(users), newId: () => crypto.randomUUID(), now };
  const rules = { allowedEmailDomains: [], bootstrapAdminEmail: null };
  const user = await logIn(ports, identity, rules);
  const newSecret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const { issuer, subject } = identity;
  const limits = { maxAge: 3_600_000, idleTimeout: 3_600_000 };
  const { secretId } = new Seal(environment.CONTROL_PLANE_AUTH_STATE_SECRET, 'figures', now);
  const session = { userId: user.id, issuer, subject, secretId, sealedTokens: null };
  const { id } = await beginSession({ sessions: store.of(sessions), now, newSecret }, session, limits);
  return { cookie: `svc_session=${id}` };
}

const environment = {
  CONTROL_PLANE_AUTH_ENABLED: 'true',
  CONTROL_PLANE_AUTH_IDP_ENABLED: 'true',
  CONTROL_PLANE_AUTH_STATE_SECRET: 'a secret for figures alone, and for nothing else',
  CONTROL_PLANE_AUTH_IDP_ISSUER_URL: 'https://idp.example',
  CONTROL_PLANE_AUTH_IDP_CLIENT_ID: 'cairn',
  CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET: 'unused',
  CONTROL_PLANE_AUTH_IDP_REDIRECT_URL: 'https://plane.example/v1/auth/callback/idp',
};

async function bareRate() {
  using bare = await startBareHono();
  return await load(bare.url);
}

await withFolder(async (folder) => {
  const dataDir = join(folder, 'data');
  const plain = await bareRate();
  const headers = await signedIn(dataDir);
  await using service = await startService(dataDir, environment);
  const ours = await load(service.url, headers);
  report(`GET /v1/me with a session, ${connections} connections`, [
    { what: 'bare Hono route', ...plain, ratio: 1 },
    { what: 'Cairn', ...ours, ratio: ours['requests/s'] / plain['requests/s'] },
  ]);
});
