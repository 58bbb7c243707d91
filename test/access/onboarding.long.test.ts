import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Visitor } from '../../bench/access/visitor.ts';
import { cairn, said, startCairn, temporaryFolder } from '../cli/run-cairn.ts';
import { exchange } from '../http/control-plane/gateway/samples.ts';
import { gatewaySecret } from '../http/control-plane/plane.ts';
import { type BrowserPlane, startBrowserPlane } from './control-plane.ts';

const folder = temporaryFolder();
let plane: BrowserPlane;

beforeAll(async () => {
  plane = await startBrowserPlane();
  plane.provider.setAccount('ada', { email: 'ada@example.com', email_verified: true });
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Signs in by browser. @returns what sends changes with the session. */
async function signIn(subject: string) {
  const visitor = new Visitor();
  const login = await visitor.open(`${plane.url}/v1/auth/login?provider=idp`);
  await visitor.open(await plane.provider.authorize(login.url, subject, visitor));
  const csrf = visitor.cookies(`${plane.url}/`).get('svc_csrf') ?? '';
  return async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
    const answer = await visitor.open(`${plane.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: JSON.parse(answer.text) };
  };
}

test('a tool logs in, mints a token, and its agent registers, acts, is revoked and refused', async () => {
  const env = { CAIRN_URL: plane.url, XDG_CONFIG_HOME: join(folder.path, 'config') };
  const login = startCairn(['login'], { env });
  await plane.provider.approveDevice(await said(login, /enter the code ([A-Z]{4}-[A-Z]{4})/), 'bob');
  expect((await login.done).code).toBe(0);

  const minted = await cairn(['agents', 'token', 'Build agent', '--handle', 'build'], { env });
  expect(minted.code).toBe(0);
  const token = minted.stdout.trim();
  expect(minted.stderr).not.toContain(token);

  // What the template says, with the variable that it names.
  const [, url, id] =
    /CAIRN_URL='([^']+)' AGENT_PROVISIONING_TOKEN="\$AGENT_PROVISIONING_TOKEN" cairn agents register (\S+)\.json --rotate\n/.exec(
      minted.stderr,
    ) ?? [];
  const file = join(folder.path, 'agent.json');
  const runtime = { CAIRN_URL: url ?? '', AGENT_PROVISIONING_TOKEN: token };
  const registered = await cairn(['agents', 'register', file, '--json'], { env: runtime });
  expect(registered).toMatchObject({ code: 0, stderr: '' });
  const { agent_id } = JSON.parse(registered.stdout);
  expect(agent_id).toBe(id);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: plane.url, agent_id });

  const gateway = await cairn(['gateway-token', '--scope', 'audit-exchanges'], {
    env: { CAIRN_GATEWAY_SECRET: gatewaySecret },
  });
  const act = async () => {
    const answer = await fetch(`${plane.url}/v1/gateway/audit-exchanges`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.stdout.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ records: [exchange(agent_id)] }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  expect(await act()).toMatchObject({ status: 200, text: expect.stringContaining('exchange_key') });

  expect((await cairn(['agents', 'revoke', agent_id], { env })).code).toBe(1);
  const asAda = await signIn('ada');
  const revoked = await asAda(`/v1/agents/${agent_id}/revoke`, { reason: 'It misbehaved.' });
  expect(revoked).toMatchObject({ status: 200, json: { state: 'revoked' } });
  const refused = await act();
  expect(refused.text).toContain('agent_revoked');
  expect(refused.status).toBeGreaterThanOrEqual(400);

  const again = await cairn(['agents', 'token', 'Build agent', '--handle', 'build'], { env });
  const retry = { ...runtime, AGENT_PROVISIONING_TOKEN: again.stdout.trim() };
  const stays = await cairn(['agents', 'register', file, '--rotate'], { env: retry });
  expect(stays).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is revoked') });

  await asAda(`/v1/agents/${agent_id}/restore`, {});
  expect((await act()).status).toBe(200);
  const before = readFileSync(file, 'utf8');
  expect((await cairn(['agents', 'register', file, '--rotate'], { env: retry })).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8')).agent_id).toBe(agent_id);
  expect(readFileSync(file, 'utf8')).not.toBe(before);
});
