import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JsonServer, startJsonServer } from '../access/json-server.ts';
import { startProvider, type TestProvider } from '../access/provider.ts';
import { cairn, said, startCairn, startService, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
const configHome = join(folder.path, 'config');
const fileOf = (url: string) => join(configHome, 'cairn', 'tokens', `${encodeURIComponent(url)}.json`);

let provider: TestProvider;
let service: JsonServer;
/** The tokens for that service. */
let file: string;
let env: Record<string, string>;
/** The device configuration of the service. */
let configured: { readonly status?: number; readonly body: unknown };
/** The Authorization header of each request. */
let bearers: (string | undefined)[] = [];

beforeAll(async () => {
  provider = await startProvider();
  provider.setAccount('ada', { email: 'ada@example.com', email_verified: true, name: 'A\u001b[2Jda' });
  service = await startJsonServer(({ path, headers }) => {
    bearers.push(headers.authorization);
    if (path === '/v1/auth/device-config') return configured;
    return { status: 404, body: { error: 'There is no such blob.', code: 'not_found' } };
  });
  file = fileOf(service.url);
  env = { CAIRN_URL: service.url, XDG_CONFIG_HOME: configHome };
});
beforeEach(() => {
  const scopes = ['openid', 'profile', 'email'];
  configured = { body: { issuer: provider.issuer, client_id: provider.deviceClient.id, scopes } };
  bearers = [];
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const userCode = /enter the code ([A-Z]{4}-[A-Z]{4})/;

async function logIn(more: Record<string, string> = {}, args: readonly string[] = []) {
  const running = startCairn(['login', ...args], { env: { ...env, ...more } });
  await provider.approveDevice(await said(running, userCode), 'ada');
  return await running.done;
}

function keep(tokens: { id_token: string; access_token: string }): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const login = { issuer: provider.issuer, client_id: 'cairn-cli', ...tokens };
  writeFileSync(file, JSON.stringify(login), { mode: 0o600 });
}

test('a login stores its tokens in a private file, and commands send them', async () => {
  const { code, stdout, stderr } = await logIn();
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain(`Open ${provider.issuer}/device\n`);
  expect(stderr).toContain(`${provider.issuer}/device?user_code=`);
  expect(stderr).toContain(`Logged in at ${service.url} as ada@example.com.`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  expect(Object.keys(stored)).toEqual(['issuer', 'client_id', 'id_token', 'access_token']);
  const { id_token, access_token } = stored;

  bearers = [];
  await cairn(['get', 'bafkr4icx4jljqi6k77mbtjtlwzs2gaf6pxzkp3rqmlnqmw6fcxvhnwkrcm'], { env });
  expect(bearers).toEqual([`Bearer ${access_token}`]);
  const given = { ...env, CAIRN_TOKEN: 'given' };
  await cairn(['get', 'bafkr4icx4jljqi6k77mbtjtlwzs2gaf6pxzkp3rqmlnqmw6fcxvhnwkrcm'], { env: given });
  expect(bearers.at(-1)).toBe('Bearer given');

  const shown = await cairn(['token'], { env });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('access_token, which commands send: expires at ');
  expect(shown.stdout).toContain('"email": "ada@example.com"');
  expect(shown.stdout).not.toContain('\u001b');
  const json = JSON.parse((await cairn(['token', '--json'], { env })).stdout);
  expect(json).toMatchObject({
    url: service.url,
    tokens: [
      { kind: 'id_token', sent: false, expired: false, claims: { sub: 'ada', aud: 'cairn-cli' } },
      { kind: 'access_token', sent: true, header: { typ: 'at+jwt' }, claims: { aud: provider.audience } },
    ],
  });
  for (const token of [id_token, access_token]) {
    const signature = token.split('.')[2];
    expect(shown.stdout).not.toContain(signature);
    expect(JSON.stringify(json)).not.toContain(signature);
  }
  expect((await cairn(['token', '--raw', 'id'], { env })).stdout).toBe(`${id_token}\n`);
  expect((await cairn(['token', '--raw', 'access'], { env })).stdout).toBe(`${access_token}\n`);

  const out = await cairn(['logout'], { env });
  expect(out).toMatchObject({ code: 0, stderr: `Removed the token for ${service.url}.\n` });
  expect(existsSync(file)).toBe(false);
  const without = await cairn(['token'], { env });
  expect(without).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('cairn login') });
});

test('--issuer-from asks another service for the issuer', async () => {
  const { code } = await logIn({ CAIRN_URL: 'http://127.0.0.1:9' }, ['--issuer-from', service.url]);
  expect(code).toBe(0);
  expect(existsSync(fileOf('http://127.0.0.1:9'))).toBe(true);
  expect(existsSync(file)).toBe(false);
});

test('a file and a folder that are accessible to others are restricted, with a warning', async () => {
  keep({ id_token: await provider.idToken(), access_token: 'opaque' });
  chmodSync(file, 0o644);
  chmodSync(dirname(file), 0o755);
  const run = await cairn(['token'], { env });
  expect(run.code).toBe(0);
  for (const [path, mode] of [
    [file, 0o600],
    [dirname(file), 0o700],
  ] as const) {
    expect(run.stderr).toContain(`${path} was accessible to others`);
    expect(statSync(path).mode & 0o777).toBe(mode);
  }
  expect((await cairn(['token'], { env })).stderr).toBe('');
});

test('an expired token is not sent, and the command says what to do', async () => {
  const expired = await provider.idToken({ claims: { exp: 1_700_000_000 } });
  keep({ id_token: expired, access_token: 'opaque' });
  const run = await cairn(['get', 'bafkr4icx4jljqi6k77mbtjtlwzs2gaf6pxzkp3rqmlnqmw6fcxvhnwkrcm'], { env });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('Run "cairn login"') });
  expect(bearers).toEqual([]);
  const shown = await cairn(['token'], { env });
  expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('expired at 2023-11-14') });
});

test('a damaged file is not overwritten', async () => {
  writeFileSync(file, '{"issuer": ', { mode: 0o600 });
  const run = await cairn(['token'], { env });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} is damaged`) });
  keep({ id_token: await provider.idToken(), access_token: 'opaque' });
});

test('CAIRN_TOKEN is shown, even if it is not a JWT', async () => {
  const run = await cairn(['token'], { env: { ...env, CAIRN_TOKEN: 'opaque' } });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('not a JWT') });
});

test('a denied or stopped login stores nothing', async () => {
  const before = readFileSync(file, 'utf8');
  const denied = startCairn(['login'], { env });
  await provider.denyDevice(await said(denied, userCode));
  const run = await denied.done;
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('denied') });
  const stopped = startCairn(['login'], { env });
  await said(stopped, userCode);
  stopped.stop('SIGINT');
  expect(await stopped.done).toMatchObject({ code: 130, stderr: expect.stringContaining('stopped') });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a service without a login for tools explains why', async () => {
  configured = { status: 404, body: { error: 'Tokens come from the auth service.', code: 'not_found' } };
  const run = await cairn(['login'], { env });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('offers no login for tools: Tokens come from the auth service.');
});

test.each([
  ['an issuer without https', { issuer: 'http://issuer.example', client_id: 'c', scopes: ['openid'] }, 1],
  ['an issuer that is no address', { issuer: 'javascript:1', client_id: 'c', scopes: ['openid'] }, 3],
  ['no scopes', { issuer: 'https://issuer.example', client_id: 'c', scopes: [] }, 3],
])('nothing is sent to %s', async (_what, body, code) => {
  configured = { body };
  expect((await cairn(['login'], { env })).code).toBe(code);
});

test('an invalid --issuer-from is refused', async () => {
  const run = await cairn(['login', '--issuer-from', 'file:///etc/passwd'], { env });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('http or https URL') });
  expect(existsSync(file)).toBe(true);
});

test('one login works for both services, and each gets its own kind of token', async () => {
  const permissions = { '*': ['create_declarations', 'view_project_data'] };
  provider.setAccount('ada', { 'https://cairn.example/permissions': permissions });
  await using both = await startService({
    CAIRN_AUTH_MODE: 'oidc',
    CAIRN_OIDC_ISSUER_URL: provider.issuer,
    CAIRN_OIDC_AUDIENCE: provider.audience,
    CAIRN_CLAIM_NAMESPACE: 'https://cairn.example',
    CONTROL_PLANE_AUTH_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ISSUER_URL: provider.issuer,
    CONTROL_PLANE_AUTH_BEARER_CLIENT_ID: provider.deviceClient.id,
  });
  const own = { ...both.env, XDG_CONFIG_HOME: configHome };
  writeFileSync(join(folder.path, 'model.bin'), 'a model');
  const put = async () => await cairn(['put', join(folder.path, 'model.bin')], { env: own });
  expect(await put()).toMatchObject({ code: 2, stderr: expect.stringContaining('Run "cairn login"') });
  expect((await logIn(own)).code).toBe(0);
  expect((await put()).code).toBe(0);
  const me = async (kind: string) => {
    const { stdout } = await cairn(['token', '--raw', kind], { env: own });
    return await fetch(`${both.url}/v1/me`, { headers: { authorization: `Bearer ${stdout.trim()}` } });
  };
  expect(await (await me('id')).json()).toMatchObject({
    subject: 'ada',
    role: 'member',
    means: 'oidc_bearer',
  });
  expect((await me('access')).status).toBe(401);
});
