import { describe, expect, test } from 'vitest';
import { startNotices } from '../../src/platform/settings/rules.ts';
import { isBesideOther, type ServedService } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';

function notices(environment: Record<string, string>, services: readonly ServedService[]): readonly string[] {
  return startNotices(readSettings(environment, {}, services), services);
}

function idle(environment: Record<string, string>, services: readonly ServedService[]): readonly string[] {
  return notices(environment, services).filter((sentence) => sentence.includes('has no effect'));
}

const oidc = { CAIRN_OIDC_ISSUER_URL: 'https://idp.example', CAIRN_OIDC_AUDIENCE: 'cairn' };
const authService = { CAIRN_AUTH_SERVICE_BASE_URL: 'https://auth.example' };
const namespace = { CAIRN_CLAIM_NAMESPACE: 'https://cairn.example' };

describe('settings of an unused authentication mode of the integrity service', () => {
  test.each([
    ['auth_service', { ...oidc, ...authService }, ['CAIRN_OIDC_ISSUER_URL', 'CAIRN_OIDC_AUDIENCE']],
    ['oidc', { ...oidc, ...authService, ...namespace }, ['CAIRN_AUTH_SERVICE_BASE_URL']],
    ['disabled', authService, ['CAIRN_AUTH_SERVICE_BASE_URL']],
    ['oidc', { ...oidc, ...namespace }, []],
  ])('are reported in mode %s', (mode, environment, names) => {
    const sentences = idle({ CAIRN_AUTH_MODE: mode, ...environment }, ['integrity']);
    expect(sentences.map((sentence) => sentence.split(' ')[0])).toEqual(names);
    for (const sentence of sentences)
      expect(sentence).toMatch(/has no effect\. It needs CAIRN_AUTH_MODE=\w+\.$/);
  });

  test('are not reported when only the control plane is served', () => {
    expect(idle({ CAIRN_AUTH_MODE: 'disabled', ...authService }, ['control-plane'])).toEqual([]);
  });
});

describe('settings of an unused authentication method of the control plane', () => {
  const plane = (values: Record<string, string>) =>
    idle(
      Object.fromEntries(
        Object.entries({ ENABLED: 'true', BEARER_ENABLED: 'true', ...values }).map(([name, value]) => [
          `CONTROL_PLANE_AUTH_${name}`,
          value,
        ]),
      ),
      ['control-plane'],
    );
  const issuer = { BEARER_ISSUER_URL: 'https://idp.example', BEARER_CLIENT_ID: 'cli' };
  const service = { BEARER_AUTH_SERVICE_BASE_URL: 'https://auth.example' };

  test('are reported, also a restriction that does not apply to tokens of an auth service', () => {
    expect(plane(issuer)).toEqual([]);
    expect(plane({ ...issuer, ALLOWED_EMAIL_DOMAINS: 'example.com' })).toEqual([]);
    expect(plane({ ...service, BEARER_MODE: 'auth_service', ALLOWED_EMAIL_DOMAINS: 'example.com' })).toEqual([
      expect.stringMatching(
        /^-auth-allowed-email-domains \(CONTROL_PLANE_AUTH_ALLOWED_EMAIL_DOMAINS\) is set/,
      ),
    ]);
    expect(plane({ ...issuer, ...service, BEARER_MODE: 'auth_service' })).toHaveLength(2);
    expect(plane({ ENABLED: 'false', BEARER_ENABLED: 'false', ...issuer })).toHaveLength(2);
  });

  test('are not the auth service, which decides about projects of the console in every mode', () => {
    expect(plane({ ...issuer, ...service })).toEqual([]);
    expect(plane({ ENABLED: 'false', BEARER_ENABLED: 'false', ...service })).toEqual([]);
  });
});

const browsers = {
  CONTROL_PLANE_AUTH_IDP_ENABLED: 'true',
  CONTROL_PLANE_AUTH_IDP_ISSUER_URL: 'https://idp.example',
  CONTROL_PLANE_AUTH_STATE_SECRET: 'x'.repeat(32),
  CONTROL_PLANE_AUTH_IDP_CLIENT_ID: 'cairn',
  CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET: 'y',
  CONTROL_PLANE_AUTH_IDP_REDIRECT_URL: 'https://cairn.example/v1/auth/callback/idp',
};

test('a control plane without a way to become an administrator is reported', () => {
  const bearers = {
    CONTROL_PLANE_AUTH_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ISSUER_URL: 'https://idp.example',
    CONTROL_PLANE_AUTH_BEARER_CLIENT_ID: 'cli',
  };
  expect(notices(bearers, ['control-plane'])).toEqual([expect.stringMatching(/^Nobody can be an admin/)]);
  expect(notices(bearers, ['integrity'])).toEqual([]);
  expect(notices({ ...bearers, ...browsers }, ['control-plane'])).toEqual([]);
});

describe('an auth service', () => {
  const integrity = { CAIRN_AUTH_MODE: 'auth_service', ...authService };
  const plane = {
    CONTROL_PLANE_AUTH_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_MODE: 'auth_service',
    CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: 'https://auth.example',
  };

  test('without a claim namespace is reported', () => {
    const sentence = expect.stringMatching(/^CAIRN_CLAIM_NAMESPACE is not set, so/);
    expect(notices(integrity, ['integrity'])).toEqual([sentence]);
    expect(notices(plane, ['control-plane'])).toEqual([sentence]);
    expect(notices({ ...integrity, ...plane }, ['integrity', 'control-plane'])).toEqual([sentence]);
    expect(notices(integrity, ['control-plane'])).toEqual([]);
    expect(notices({ ...integrity, ...plane, ...namespace }, ['integrity', 'control-plane'])).toEqual([]);
  });

  test('with another issuer than sign-ins by browser is reported', () => {
    const hybrid = { ...plane, ...browsers, ...namespace };
    expect(notices(hybrid, ['control-plane'])).toEqual([
      expect.stringMatching(/users of "https:\/\/idp\.example".*users of "https:\/\/auth\.example"/),
    ]);
    const one = { ...hybrid, CAIRN_AUTH_SERVICE_ISSUER: 'https://idp.example' };
    expect(notices(one, ['control-plane'])).toEqual([]);
  });

  test('over plain HTTP is reported', () => {
    const http = { CAIRN_AUTH_SERVICE_BASE_URL: 'http://auth.svc', CAIRN_ALLOW_HTTP_AUTH_SERVICE: 'true' };
    expect(notices({ ...integrity, ...http, ...namespace }, ['integrity'])).toEqual([
      expect.stringMatching(/^CAIRN_AUTH_SERVICE_BASE_URL="http:\/\/auth\.svc" is plain HTTP/),
    ]);
  });
});

describe('sign-in by browser beside the integrity service', () => {
  const environment = {
    CAIRN_AUTH_MODE: 'oidc',
    ...oidc,
    ...namespace,
    CAIRN_MONGODB_URL: 'mongodb://db/',
    CAIRN_REDIS_URL: 'redis://redis/',
    CAIRN_SIGNING_KEY_FILE: 'key.json',
    CAIRN_PUBLIC_URL: 'https://cairn.example',
    CONTROL_PLANE_AUTH_ENABLED: 'true',
    CONTROL_PLANE_AUTH_IDP_ENABLED: 'true',
    CONTROL_PLANE_AUTH_IDP_ISSUER_URL: 'https://idp.example',
    CONTROL_PLANE_AUTH_STATE_SECRET: 'a secret of the tests that has more than 32 bytes',
    CONTROL_PLANE_AUTH_IDP_CLIENT_ID: 'browser',
    CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET: 'unused',
    CONTROL_PLANE_AUTH_IDP_REDIRECT_URL: 'https://cairn.example/v1/auth/callback/idp',
  };
  const sentences = (more: Record<string, string>) =>
    notices({ ...environment, ...more }, ['integrity']).filter((one) => one.startsWith('People'));

  test('counts for processes of their own with one provider, one store and one address', () => {
    const beside = (more: Record<string, string> = {}) =>
      isBesideOther(['integrity'], readSettings({ ...environment, ...more }, {}, ['integrity']));
    expect(beside()).toBe(true);
    expect(beside({ CAIRN_PUBLIC_URL: 'https://elsewhere.example' })).toBe(false);
    expect(beside({ CAIRN_OIDC_ISSUER_URL: 'https://other.example' })).toBe(false);
    expect(beside({ CAIRN_AUTH_MODE: 'disabled' })).toBe(false);
  });

  test('is reported if it does not count', () => {
    expect(sentences({})).toEqual([]);
    expect(sentences({ CAIRN_OIDC_ISSUER_URL: 'https://other.example' })).toEqual([
      expect.stringContaining(
        'they sign in at "https://idp.example", and the integrity service takes tokens of',
      ),
    ]);
    expect(sentences({ CAIRN_PUBLIC_URL: 'https://elsewhere.example' })).toEqual([
      expect.stringContaining('at another address than CAIRN_PUBLIC_URL="https://elsewhere.example"'),
    ]);
  });

  test('needs a store that processes can share', () => {
    const { CAIRN_MONGODB_URL: _, ...embedded } = environment;
    expect(() => readSettings(embedded, {}, ['integrity'])).toThrow(
      'two processes cannot share an embedded store',
    );
    expect(() => readSettings(embedded, {}, ['integrity', 'control-plane'])).not.toThrow();
  });
});
