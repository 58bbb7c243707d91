import { describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/domain/audit-log/audit-log.ts';
import { auditLogOf, usersOf } from '../../contract/nouns.ts';
import { bearer, usePlane, variables } from './plane.ts';

const plane = usePlane();
const loginAction = 'GET /v1/auth/login';
const callbackAction = 'GET /v1/auth/callback/{provider}';
const logoutAction = 'POST /v1/auth/logout';

async function recordsOf(subject: string): Promise<readonly AuditRecord[]> {
  const filter = { actor: subject, action: null, target: null, from: null, until: null };
  return (await auditLogOf(plane.store).list(filter, { after: null, limit: 100 })).records;
}

async function signedIn(subject: string) {
  plane.provider.setAccount(subject, { email: `${subject}@example.com`, email_verified: true });
  const browser = plane.main.browser();
  await browser.signIn(subject);
  return browser;
}

describe('the audit log', () => {
  test('records who signed in and out, and from where', async () => {
    const browser = await signedIn('comes-and-goes');
    expect((await plane.main.send('POST', '/v1/auth/logout', browser.headers('POST'))).status).toBe(204);
    const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'comes-and-goes');
    const actor = { issuer: plane.provider.issuer, subject: 'comes-and-goes', means: 'session' };
    const both = { actor, outcome: 'done', code: null, address: '192.0.2.1' };
    expect(await recordsOf('comes-and-goes')).toMatchObject([
      { ...both, action: logoutAction, target: null },
      { ...both, action: callbackAction, target: user?.id },
    ]);
  });

  test('records started sign-ins without an actor', async () => {
    await plane.main.browser().begin();
    const filter = { actor: null, action: loginAction, target: null, from: null, until: null };
    await expect
      .poll(async () => (await auditLogOf(plane.store).list(filter, { after: null, limit: 1 })).records)
      .toMatchObject([{ actor: null, outcome: 'done', address: '192.0.2.1' }]);
  });

  test('records who may not sign in, and failed callbacks', async () => {
    const strict = await plane.replica(variables({ ALLOWED_EMAIL_DOMAINS: 'other.example' }));
    plane.provider.setAccount('stranger', { email: 'stranger@example.com', email_verified: true });
    const end = await strict.browser().signIn('stranger');
    expect(end.url.searchParams.get('error')).toBe('refused');
    await expect.poll(() => recordsOf('stranger')).toHaveLength(1);
    expect(await recordsOf('stranger')).toMatchObject([
      { action: callbackAction, outcome: 'refused', code: 'forbidden', details: { fault: 'refused' } },
    ]);
    await plane.main.send('GET', '/v1/auth/callback/idp?state=made-up&code=a-secret-code');
    const filter = { actor: null, action: callbackAction, target: 'idp', from: null, until: null };
    const unknown = async () =>
      (await auditLogOf(plane.store).list(filter, { after: null, limit: 9 })).records;
    await expect
      .poll(unknown)
      .toContainEqual(
        expect.objectContaining({ actor: null, outcome: 'refused', details: { fault: 'expired' } }),
      );
  });

  test('has no token, code, cookie or state', async () => {
    const browser = plane.main.browser();
    const address = await browser.begin();
    plane.provider.setAccount('secretive', { email: 'secretive@example.com', email_verified: true });
    const back = await browser.authorize('secretive', address);
    await browser.comeBack(back);
    const token = await plane.provider.idToken({ claims: { sub: 'secretive' } });
    expect((await plane.main.send('PATCH', '/v1/users/x', bearer(token), { role: 'admin' })).status).toBe(
      403,
    );
    const everything = { actor: null, action: null, target: null, from: null, until: null };
    await expect.poll(async () => (await recordsOf('secretive')).length).toBe(2);
    const { records } = await auditLogOf(plane.store).list(everything, { after: null, limit: 1_000 });
    const told = JSON.stringify(records);
    for (const secret of [
      token,
      back.searchParams.get('code'),
      address.searchParams.get('state'),
      browser.cookie('svc_session'),
      browser.cookie('svc_csrf'),
    ]) {
      expect(secret).toEqual(expect.any(String));
      expect(told).not.toContain(secret);
    }
  });
});
