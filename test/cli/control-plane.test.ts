import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cairn, listening, said, startCairn, temporaryFolder } from './run-cairn.ts';

const secret = 'a-very-secret-text-of-more-than-32-bytes';

describe.concurrent('cairn serve control-plane', () => {
  test('accepts Go flags', async () => {
    using folder = temporaryFolder();
    const flags = ['-auth-enabled', '-auth-bearer-enabled=true', '--auth-bearer-client-id=tools'];
    const issuer = ['-auth-bearer-issuer-url', 'https://idp.example'];
    const data = ['--port', '0', '--data-dir', join(folder.path, 'data')];
    const env = {
      CONTROL_PLANE_AUTH_ENABLED: 'false',
      CONTROL_PLANE_AUTH_BEARER_SCOPES: 'openid',
      CONTROL_PLANE_AUTH_BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
    };
    const running = startCairn(['serve', 'control-plane', ...flags, ...issuer, ...data], { env });
    const url = await said(running, listening);
    const config = await fetch(`${url}/v1/auth/device-config`);
    expect(await config.json()).toEqual({
      issuer: 'https://idp.example',
      client_id: 'tools',
      scopes: ['openid'],
    });
    expect((await fetch(`${url}/v1/me`)).status).toBe(401);
    expect((await fetch(`${url}/graph/v1`)).status).toBe(404);
    running.stop();
    const { code, stderr } = await running.done;
    expect(code).toBe(0);
    expect(stderr).not.toContain('Authentication is disabled');
    expect(stderr).toContain('(CONTROL_PLANE_AUTH_BOOTSTRAP_ADMIN_EMAIL) is set but has no effect');
  });

  test('reports every problem of its configuration at once and exits with 2', async () => {
    const flags = [
      '-auth-enabled',
      '-auth-idp-enabled',
      '-auth-bearer-enabled',
      '-auth-bearer-mode=auth_service',
    ];
    const env = { CONTROL_PLANE_AUTH_STATE_SECRET: 'short', CAIRN_HOST: '0.0.0.0', CAIRN_PORT: 'x' };
    const { code, stdout, stderr } = await cairn(['serve', ...flags], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('CAIRN_PORT="x"'),
      expect.stringContaining('CONTROL_PLANE_AUTH_STATE_SECRET="…" must be at least 32 bytes'),
      expect.stringContaining('-auth-idp-client-id is not set'),
      expect.stringContaining('-auth-idp-client-secret is not set'),
      expect.stringContaining('-auth-idp-redirect-url is not set'),
      expect.stringContaining('-adapter-auth-service-base-url'),
      expect.stringMatching(/CAIRN_HOST="0\.0\.0\.0" .* the integrity service/),
      expect.stringContaining('CAIRN_PUBLIC_URL is not set'),
    ]);
    expect(stderr).not.toContain('short"');
  });

  test('refuses a boolean value as a separate argument, and unknown flags', async () => {
    const apart = await cairn(['serve', '-auth-enabled', 'false']);
    expect(apart).toMatchObject({ code: 2, stderr: expect.stringContaining('-auth-enabled=false') });
    const unknown = await cairn(['serve', '-auth-state-secrets=a=hunter\u001b[2J']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("'-auth-state-secrets=…'") });
    expect(unknown.stderr).not.toContain('hunter');
    expect((await cairn(['serve', '-x\u001b[2J'])).stderr).toContain('-x\\u001b[2J');
  });
});

test('cairn config reports settings without effect', async () => {
  const env = { CAIRN_AUTH_MODE: 'disabled', CAIRN_OIDC_AUDIENCE: 'cairn' };
  const { code, stderr } = await cairn(['config'], { env });
  expect(code).toBe(0);
  expect(stderr).toBe('CAIRN_OIDC_AUDIENCE is set but has no effect. It needs CAIRN_AUTH_MODE=oidc.\n');
});

test('cairn config escapes control characters and masks passwords', async () => {
  const env = {
    CONTROL_PLANE_AUTH_IDP_CLIENT_ID: 'cairn\u009b2J\u001b[2J\u202e',
    CAIRN_URL: 'https://ada:hunter@cairn.example',
    'CAIRN_\u001b[2J': '1',
  };
  for (const flags of [[], ['--json']]) {
    const { stdout, stderr } = await cairn(['config', ...flags], { env });
    expect(stdout).toContain('••••••@cairn.example');
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]|hunter/u);
  }
});

test('cairn config shows the settings of the control plane without secrets', async () => {
  const env = { CONTROL_PLANE_AUTH_STATE_SECRET: secret, CONTROL_PLANE_AUTH_SESSION_MAX_AGE: '6h' };
  const flags = ['-auth-session-max-age=8h', `-auth-registration-token-secret=${secret}`];
  const { code, stdout, stderr } = await cairn(['config', 'control-plane', ...flags, '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const shown = JSON.parse(stdout) as { variable: string }[];
  const of = (name: string) => shown.find(({ variable }) => variable === `CONTROL_PLANE_AUTH_${name}`);
  expect(of('SESSION_MAX_AGE')).toMatchObject({
    value: '8h',
    flag: 'auth-session-max-age',
    isDefault: false,
  });
  expect(of('SESSION_IDLE_TIMEOUT')).toMatchObject({ value: '2h', isDefault: true });
  expect(of('STATE_SECRET')).toMatchObject({ value: '••••••' });
  expect(stdout).not.toContain(secret);
});
