import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentFile } from '../../src/cli/commands/agents/agent-file.ts';
import { startAuthService } from '../access/auth-service.ts';
import { type BrowserPlane, startBrowserPlane } from '../access/control-plane.ts';
import { gatewaySecret, registrationSecret, variables } from '../http/control-plane/plane.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
const newFile = () => join(folder.path, `${crypto.randomUUID()}.json`);
let plane: BrowserPlane;
/** Without authentication: everybody is an administrator. */
let open: Service;
/** A member. */
let env: Record<string, string>;

beforeAll(async () => {
  plane = await startBrowserPlane();
  env = { CAIRN_URL: plane.url, CAIRN_TOKEN: await plane.provider.idToken() };
  open = await startService();
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const mint = async (...more: string[]) =>
  (await cairn(['agents', 'token', 'Build agent', ...more], { env })).stdout.trim();
const register = (file: string, token: string, ...more: string[]) =>
  cairn(['agents', 'register', file, ...more], {
    env: { CAIRN_URL: plane.url, AGENT_PROVISIONING_TOKEN: token },
  });
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('cairn agents register', () => {
  test('keeps the key and the agent_id in a file for its owner', async () => {
    const file = newFile();
    const run = await register(file, await mint());
    const { agent_id, did, url, key } = read(file);
    expect(run).toEqual({ code: 0, stdout: `${agent_id}\n${did}\n`, stderr: '' });
    expect(url).toBe(plane.url);
    expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', d: expect.any(String) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.new`)).toBe(false);
    const p256 = newFile();
    expect((await register(p256, await mint(), '--p256')).code).toBe(0);
    expect(read(p256).key).toMatchObject({ kty: 'EC', crv: 'P-256' });
  });

  test('reads the token from a file', async () => {
    const [file, tokenFile] = [newFile(), newFile()];
    writeFileSync(tokenFile, `${await mint()}\n`, { mode: 0o600 });
    const run = await cairn(['agents', 'register', file, '--token-file', tokenFile, '--json'], {
      env: { CAIRN_URL: plane.url },
    });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual({ agent_id: read(file).agent_id, did: read(file).did, file });
  });

  test('does not change a file without --rotate', async () => {
    const file = newFile();
    await register(file, await mint('--handle', 'rotated'));
    const before = readFileSync(file, 'utf8');
    const token = await mint('--handle', 'rotated');
    const refused = await register(file, token);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--rotate') });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await register(file, token, '--rotate')).code).toBe(0);
    const { agent_id, did } = JSON.parse(before);
    expect(read(file)).toMatchObject({ agent_id, did: expect.not.stringContaining(did) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('follows the commands of two tokens of one agent in the same folder', async () => {
    const dids: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { stdout, stderr } = await cairn(['agents', 'token', 'Build agent', '--handle', 'twice'], {
        env,
      });
      const [name = '', ...flags] = /cairn agents register (.+)$/m.exec(stderr)?.[1]?.split(' ') ?? [];
      const file = join(folder.path, name);
      expect(await register(file, stdout.trim(), ...flags)).toMatchObject({ code: 0 });
      dids.push(read(file).did);
    }
    expect(new Set(dids).size).toBe(2);
  });

  test('can be repeated with the same key after a refusal', async () => {
    const file = newFile();
    const old = await mint('--handle', 'repeated');
    const token = await mint('--handle', 'repeated');
    const refused = await register(file, old);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is void') });
    expect(refused.stderr).not.toContain('cairn login');
    expect(existsSync(file)).toBe(false);
    expect(statSync(`${file}.new`).mode & 0o777).toBe(0o600);
    const { did } = read(`${file}.new`);
    expect((await register(file, token)).code).toBe(0);
    expect(read(file).did).toBe(did);
  });

  test('never overwrites a file that somebody makes meanwhile', () => {
    const file = newFile();
    const agent = new AgentFile(file);
    const { did } = agent.newKey('Ed25519');
    writeFileSync(file, 'mine');
    expect(() =>
      agent.keep({ url: 'https://cairn.example', agent_id: 'agent_0' }, { replaces: false }),
    ).toThrow('meanwhile');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(read(`${file}.new`).did).toBe(did);
  });

  test('explains a missing or wrong token', async () => {
    const file = newFile();
    const without = await cairn(['agents', 'register', file], { env: { CAIRN_URL: plane.url } });
    expect(without).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set AGENT_PROVISIONING_TOKEN'),
    });
    expect(await register(file, 'nonsense')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a registration token'),
    });
    const gone = await cairn(['agents', 'register', file], {
      env: { CAIRN_URL: 'http://127.0.0.1:9', AGENT_PROVISIONING_TOKEN: await mint() },
    });
    expect(gone.code).toBe(3);
  });
});

test('members list and show their agents', async () => {
  const file = newFile();
  await register(file, await mint('--handle', 'listed'));
  const { agent_id, did } = read(file);
  const list = await cairn(['agents', 'list', '--search', 'listed'], { env });
  expect(list.code).toBe(0);
  expect(list.stdout).toMatch(new RegExp(`^AGENT .*\n${agent_id} +active +listed +Build agent +ada\n$`));
  const json = JSON.parse((await cairn(['agents', 'list', '--search', did, '--json'], { env })).stdout);
  expect(json.agents).toMatchObject([{ agent_id, did }]);
  expect((await cairn(['agents', 'list', '--state', 'revoked'], { env })).stdout).toMatch(/^AGENT[^\n]*\n$/);
  const few = await cairn(['agents', 'list', '--limit', '1'], { env });
  expect(few.stderr).toContain('There are more than 1 agents');

  const shown = await cairn(['agents', 'show', agent_id], { env });
  expect(shown.stdout).toContain(did);
  expect(shown.stdout).not.toContain('EVENT');
  const unknown = await cairn(['agents', 'show', 'agent_none'], { env });
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no agent') });
  expect((await cairn(['agents', 'revoke', agent_id], { env })).code).toBe(1);
});

test('administrators revoke and restore, and see the history', async () => {
  await using authService = await startAuthService();
  authService.know('root-token', { sub: 'root', claims: { 'https://cairn.example/has_admin_access': true } });
  await using service = await startService({
    ...variables({
      ENABLED: 'true',
      BEARER_ENABLED: 'true',
      BEARER_MODE: 'auth_service',
      BEARER_AUTH_SERVICE_BASE_URL: authService.url,
      REGISTRATION_TOKEN_SECRET: registrationSecret,
    }),
    CAIRN_CLAIM_NAMESPACE: 'https://cairn.example',
  });
  const root = { ...service.env, CAIRN_TOKEN: 'root-token' };
  const minted = JSON.parse((await cairn(['agents', 'token', 'An agent', '--json'], { env: root })).stdout);
  const id = minted.agent_id;
  const token = { AGENT_PROVISIONING_TOKEN: minted.registration_token };
  await cairn(['agents', 'register', newFile()], { env: { ...service.env, ...token } });

  const revoked = await cairn(['agents', 'revoke', id, '--reason', 'It misbehaved.'], { env: root });
  expect(revoked).toEqual({ code: 0, stdout: `${id} (An agent) is revoked.\n`, stderr: '' });
  const list = await cairn(['agents', 'list', '--state', 'revoked'], { env: root });
  expect(list.stdout).toContain(id);
  authService.know('heir-token', { sub: 'heir', claims: {} });
  const heir = { ...service.env, CAIRN_TOKEN: 'heir-token' };
  expect((await cairn(['agents', 'list'], { env: heir })).stdout).not.toContain(id);
  const found = await cairn(['agents', 'hand-over', id, 'nobody@example.com'], { env: root });
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('0 users have') });
  const me = await fetch(`${service.url}/v1/me`, { headers: { authorization: 'Bearer heir-token' } });
  const { user } = (await me.json()) as { user: { id: string } };
  const handed = await cairn(['agents', 'hand-over', id, user.id, '--reason', 'She left.'], { env: root });
  expect(handed).toMatchObject({ code: 0, stdout: expect.stringMatching(`^${id} .* belongs to heir at `) });
  expect((await cairn(['agents', 'list'], { env: heir })).stdout).toContain(id);
  const restored = await cairn(['agents', 'restore', id, '--json'], { env: root });
  expect(JSON.parse(restored.stdout)).toMatchObject({ agent_id: id, state: 'active' });
  const shown = await cairn(['agents', 'show', id], { env: root });
  const history =
    /restored +\S+ +root +-\nhanded_over +\S+ +root +She left\.\nrevoked +\S+ +root +It misbehaved\.\nregistered /;
  expect(shown.stdout).toMatch(history);
  const json = JSON.parse((await cairn(['agents', 'show', id, '--json'], { env: root })).stdout);
  expect(json.status_events).toHaveLength(4);
  expect((await cairn(['agents', 'revoke', 'agent_none'], { env: root })).code).toBe(1);
});

test('a token cannot be minted where nobody has a subject', async () => {
  const run = await cairn(['agents', 'token', 'Build agent'], { env: open.env });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('-auth-enabled') });
});

describe('cairn gateway-token', () => {
  const secret = { CAIRN_GATEWAY_SECRET: gatewaySecret };

  test('prints a credential that can report, but not change who may read, for 30 days', async () => {
    const { code, stdout, stderr } = await cairn(['gateway-token'], { env: secret });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(decodeProtectedHeader(stdout.trim())).toEqual({ alg: 'HS256', typ: 'gateway-credential+jwt' });
    const { scope, iat = 0, exp = 0, sub, aud } = decodeJwt(stdout.trim());
    expect(scope).toBe('audit-exchanges plugin-events state-records');
    expect(exp - iat).toBe(30 * 86_400);
    expect({ sub, aud }).toEqual({ sub: 'gateway', aud: 'urn:cairn:gateway' });
  });

  test('takes scopes, a lifetime and a name', async () => {
    const flags = ['--scope', 'memberships,plugin-events', '--scope', 'memberships', '--expires', '90m'];
    const { stdout } = await cairn(['gateway-token', ...flags, '--name', 'ci'], { env: secret });
    const { scope, iat = 0, exp = 0, sub } = decodeJwt(stdout.trim());
    expect({ scope, seconds: exp - iat, sub }).toEqual({
      scope: 'admin:memberships plugin-events',
      seconds: 5_400,
      sub: 'ci',
    });
  });

  test.each([
    [[], {}, 'CAIRN_GATEWAY_SECRET is not set'],
    [[], { CAIRN_GATEWAY_SECRET: 'short' }, 'at least 32 bytes'],
    [['--scope', 'everything'], secret, 'no scope "everything"'],
    [['--expires', 'soon'], secret, 'must be a duration'],
    [['--name', 'a b'], secret, 'no spaces'],
  ])('refuses %j with %j', async (flags, given, reason) => {
    const run = await cairn(['gateway-token', ...flags], { env: given });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
  });
});
