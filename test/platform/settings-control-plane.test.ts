import { describe, expect, test } from 'vitest';
import { effectiveSettings, readSettings, type SettingsError } from '../../src/platform/settings/settings.ts';

const secret = 'a-secret-of-thirty-two-bytes-or-more';
const prefix = 'CONTROL_PLANE_AUTH_';

function environment(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

const browser = {
  ENABLED: 'true',
  IDP_ENABLED: 'true',
  STATE_SECRET: secret,
  IDP_CLIENT_ID: 'client',
  IDP_CLIENT_SECRET: 'short',
  IDP_REDIRECT_URL: 'https://plane.example/v1/auth/callback/idp',
};
const bearer = {
  ENABLED: 'true',
  BEARER_ENABLED: 'true',
  BEARER_ISSUER_URL: 'https://idp.example/',
  BEARER_CLIENT_ID: 'tools',
};

function problemsOf(values: Readonly<Record<string, string>>, flags = {}, more = {}): readonly string[] {
  try {
    readSettings({ ...environment(values), ...more }, flags);
    return [];
  } catch (error) {
    return (error as SettingsError).problems;
  }
}

describe('settings of the control plane', () => {
  test('have the defaults of the specification', () => {
    expect(readSettings({})).toMatchObject({
      authEnabled: false,
      authSessionMaxAge: 12 * 3_600_000,
      authSessionIdleTimeout: 2 * 3_600_000,
      authCookieSecure: true,
      authCookieDomain: null,
      authIdpIssuerUrl: 'https://accounts.google.com',
      authIdpScopes: ['openid', 'profile', 'email'],
      authBearerScopes: ['openid', 'profile', 'email'],
      authBearerMode: 'oidc',
      authRegistrationTokenSecret: null,
    });
  });

  test('a flag wins over a variable, and a variable over the default', () => {
    const variable = environment({ SESSION_IDLE_TIMEOUT: '30m' });
    expect(readSettings(variable).authSessionIdleTimeout).toBe(1_800_000);
    expect(readSettings(variable, { authSessionIdleTimeout: '1h30m' }).authSessionIdleTimeout).toBe(
      5_400_000,
    );
  });

  test('limit an idle timeout that nobody set to the maximum age', () => {
    const short = environment({ SESSION_MAX_AGE: '1h' });
    expect(readSettings(short).authSessionIdleTimeout).toBe(3_600_000);
    expect(readSettings({}, { authSessionMaxAge: '30m' }).authSessionIdleTimeout).toBe(1_800_000);
    const shown = effectiveSettings(short).find(({ flag }) => flag === 'auth-session-idle-timeout');
    expect(shown).toMatchObject({ value: '1h', isDefault: true });
  });

  test.each([
    ['1.5h', 5_400_000],
    ['12h0m0s', 43_200_000],
    ['2h0.5s', 7_200_500],
  ])('accept the Go duration %s', (text, ms) => {
    expect(
      readSettings({}, { authSessionMaxAge: text, authSessionIdleTimeout: '1s' }).authSessionMaxAge,
    ).toBe(ms);
  });

  test.each([
    [true, ['1', 't', 'T', 'true', 'TRUE', 'True']],
    [false, ['0', 'f', 'F', 'false', 'FALSE', 'False']],
  ])('read %s in every spelling of Go', (value, spellings) => {
    for (const spelling of spellings) {
      expect(readSettings({}, { authCookieSecure: spelling }).authCookieSecure).toBe(value);
      expect(readSettings(environment({ COOKIE_SECURE: spelling })).authCookieSecure).toBe(value);
    }
  });

  test('an empty variable counts as unset', () => {
    const names = [...Object.keys({ ...browser, ...bearer }), 'BEARER_MODE', 'IDP_SCOPES', 'COOKIE_DOMAIN'];
    const empty = environment(Object.fromEntries(names.map((name) => [name, ''])));
    expect(readSettings(empty)).toEqual(readSettings({}));
    expect(effectiveSettings(empty)).toEqual(effectiveSettings({}));
  });

  test('an empty flag overrides a variable if the setting may be unset', () => {
    const variables = environment({ ...bearer, BEARER_MODE: 'auth_service', COOKIE_DOMAIN: 'a.example' });
    const read = readSettings(variables, { authBearerMode: '', authCookieDomain: '', authIdpIssuerUrl: '' });
    expect(read).toMatchObject({
      authBearerMode: 'oidc',
      authCookieDomain: null,
      authIdpIssuerUrl: 'https://accounts.google.com',
    });
    for (const flag of ['authEnabled', 'authSessionMaxAge', 'authBearerScopes'])
      expect(problemsOf(bearer, { [flag]: '' })).toHaveLength(1);
  });

  test('keep issuers as written and drop trailing slashes of other URLs', () => {
    const uiBaseUrl = 'https://plane.example/console/';
    expect(readSettings(environment({ ...browser, ...bearer, UI_BASE_URL: uiBaseUrl }))).toMatchObject({
      authBearerIssuerUrl: 'https://idp.example/',
      authUiBaseUrl: 'https://plane.example/console',
    });
  });

  test.each([
    ['browser', browser],
    ['bearer', bearer],
    ['both', { ...browser, ...bearer }],
    [
      'the auth service',
      {
        ENABLED: 'true',
        BEARER_ENABLED: 'true',
        BEARER_MODE: 'auth_service',
        BEARER_AUTH_SERVICE_BASE_URL: 'https://auth.example',
      },
    ],
  ])('are complete for %s', (_name, values) => {
    expect(problemsOf(values)).toEqual([]);
    const reachable = { CAIRN_HOST: '0.0.0.0', CAIRN_PUBLIC_URL: 'https://cairn.example' };
    expect(problemsOf(values, {}, { ...reachable, CAIRN_ALLOW_UNAUTHENTICATED: 'true' })).toEqual([]);
  });

  test('fall back to the auth service of the adapter', () => {
    const mode = { ENABLED: 'true', BEARER_ENABLED: 'true', BEARER_MODE: 'auth_service' };
    expect(problemsOf(mode)).toEqual([expect.stringContaining('-adapter-auth-service-base-url')]);
    const adapter = { CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: 'https://auth.example' };
    expect(problemsOf(mode, {}, adapter)).toEqual([]);
    expect(problemsOf(mode, { adapterAuthServiceBaseUrl: 'https://auth.example' })).toEqual([]);
  });

  test('allow an auth service over plain HTTP only with CAIRN_ALLOW_HTTP_AUTH_SERVICE', () => {
    const mode = { ENABLED: 'true', BEARER_ENABLED: 'true', BEARER_MODE: 'auth_service' };
    const url = 'http://auth.cluster.local:8080';
    const allowed = { CAIRN_ALLOW_HTTP_AUTH_SERVICE: 'true' };
    for (const [values, more] of [
      [{ ...mode, BEARER_AUTH_SERVICE_BASE_URL: url }, {}],
      [mode, { CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: url }],
      [{}, { CAIRN_AUTH_MODE: 'auth_service', CAIRN_AUTH_SERVICE_BASE_URL: url }],
    ] as const) {
      expect(problemsOf(values, {}, more)).toEqual([
        expect.stringMatching(/="http:\/\/auth\.cluster\.local:8080" .* CAIRN_ALLOW_HTTP_AUTH_SERVICE=true/),
      ]);
      expect(problemsOf(values, {}, { ...more, ...allowed })).toEqual([]);
    }
    const issuer = { ...bearer, BEARER_ISSUER_URL: 'http://idp.example' };
    expect(problemsOf(issuer, {}, allowed)).toEqual([expect.stringContaining('must be an https URL')]);
  });

  test.each([
    ['no sign-in method', { ENABLED: 'true' }, 'no way to sign in'],
    ['browser sign-in without -auth-enabled', { IDP_ENABLED: 'true' }, '-auth-enabled is not set'],
    ['bearer tokens without -auth-enabled', { ...bearer, ENABLED: '' }, '-auth-enabled is not set'],
    ['no state secret', { ...browser, STATE_SECRET: '' }, '-auth-state-secret is not set'],
    ['no client id', { ...browser, IDP_CLIENT_ID: '' }, '-auth-idp-client-id is not set'],
    ['no client secret', { ...browser, IDP_CLIENT_SECRET: '' }, '-auth-idp-client-secret is not set'],
    ['no redirect URL', { ...browser, IDP_REDIRECT_URL: '' }, '-auth-idp-redirect-url is not set'],
    [
      'a short state secret',
      { ...browser, STATE_SECRET: 'x'.repeat(31) },
      'STATE_SECRET="…" must be at least 32 bytes',
    ],
    [
      'a short token secret',
      { REGISTRATION_TOKEN_SECRET: 'x' },
      'TOKEN_SECRET="…" must be at least 32 bytes',
    ],
    ['scopes without openid', { ...browser, IDP_SCOPES: 'profile' }, 'lacks "openid"'],
    [
      'a foreign cookie domain',
      { ...browser, COOKIE_DOMAIN: 'lane.example' },
      'browsers would refuse the cookies',
    ],
    ['no issuer', { ...bearer, BEARER_ISSUER_URL: '' }, '-auth-bearer-issuer-url is not set'],
    ['no bearer client id', { ...bearer, BEARER_CLIENT_ID: '' }, '-auth-bearer-client-id is not set'],
    ['no scope', { ...bearer, BEARER_SCOPES: ',' }, 'lacks "openid"'],
    [
      'scopes of tools without openid',
      { ...bearer, BEARER_SCOPES: 'profile' },
      '-auth-bearer-scopes="profile"',
    ],
    ['an invalid scope', { BEARER_SCOPES: 'open"id' }, 'must be scopes'],
    ['an unknown mode', { ...bearer, BEARER_MODE: 'saml' }, 'must be one of oidc, auth_service'],
    ['a plain HTTP issuer', { ...bearer, BEARER_ISSUER_URL: 'http://idp.example' }, 'must be an https URL'],
    ['not a URL', { IDP_ISSUER_URL: 'idp.example' }, 'must be an https URL'],
    ['a password in a URL', { UI_BASE_URL: 'https://a:b@ui.example' }, 'must be an https URL'],
    ['a query in a URL', { UI_BASE_URL: 'https://ui.example/?a' }, 'must be an https URL'],
    ['a script URL', { UI_BASE_URL: 'javascript:alert(1)' }, 'must be an http or https URL'],
    [
      'an idle timeout above the maximum age',
      { SESSION_MAX_AGE: '1h', SESSION_IDLE_TIMEOUT: '2h' },
      'is longer than -auth-session-max-age',
    ],
    ['an invalid duration', { SESSION_MAX_AGE: '12' }, 'must be a duration'],
    ['neither true nor false', { ENABLED: 'yes' }, 'must be true or false'],
    ['an invalid domain', { ALLOWED_EMAIL_DOMAINS: 'example.com,@example.org' }, 'must be domains'],
    ['an invalid e-mail address', { BOOTSTRAP_ADMIN_EMAIL: 'ada' }, 'must be one e-mail address'],
    [
      'several e-mail addresses',
      { BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com,eve@example.com' },
      'must be one e-mail address',
    ],
    ['an IP address as cookie domain', { COOKIE_DOMAIN: '127.0.0.1' }, 'must be a domain alone'],
    ['a port in a cookie domain', { COOKIE_DOMAIN: 'example.com:80' }, 'must be a domain alone'],
  ])('are refused: %s', (_name, values, sentence) => {
    expect(problemsOf(values)).toEqual([expect.stringContaining(sentence)]);
  });

  test('report all problems of both services together, without secrets', () => {
    const values = {
      ENABLED: 'true',
      IDP_ENABLED: 'true',
      BEARER_ENABLED: 'true',
      STATE_SECRET: 'abc-secret',
    };
    const problems = problemsOf(
      { ...values, COOKIE_SECURE: '?' },
      { authSessionMaxAge: '1d', authRegistrationTokenSecret: 'def-secret' },
      { CAIRN_PORT: 'many', CAIRN_JOBS: 'bullmq', CAIRN_HOST: '0.0.0.0' },
    );
    expect(problems).toEqual([
      expect.stringMatching(/^CAIRN_PORT="many"/),
      expect.stringMatching(/^-auth-registration-token-secret="…" must/),
      expect.stringMatching(/^CONTROL_PLANE_AUTH_COOKIE_SECURE="\?" must/),
      expect.stringMatching(/^-auth-session-max-age="1d" must/),
      expect.stringMatching(/^CONTROL_PLANE_AUTH_STATE_SECRET="…" must/),
      expect.stringMatching(/^CAIRN_JOBS/),
      expect.stringContaining('-auth-idp-client-id is not set'),
      expect.stringContaining('-auth-idp-client-secret is not set'),
      expect.stringContaining('-auth-idp-redirect-url is not set'),
      expect.stringContaining('-auth-bearer-issuer-url is not set'),
      expect.stringContaining('-auth-bearer-client-id is not set'),
      expect.stringMatching(/the integrity service \(CAIRN_AUTH_MODE\)/),
      expect.stringMatching(/^CAIRN_PUBLIC_URL is not set/),
    ]);
    expect(problems.join()).not.toMatch(/abc-secret|def-secret/);
  });

  test('may stay set while authentication is explicitly disabled', () => {
    expect(problemsOf({ ...browser, ...bearer, ENABLED: 'false' })).toEqual([]);
    expect(problemsOf({ ...browser, ...bearer, ENABLED: '' }, { authEnabled: 'false' })).toEqual([]);
  });

  test('mask passwords in URLs, in values and in problems', () => {
    const flags = { authIdpIssuerUrl: 'https://ada:hun@ter@idp.example' };
    const values = { BEARER_AUTH_SERVICE_BASE_URL: 'https://ada:hunter@auth.example' };
    const shown = JSON.stringify(effectiveSettings(environment(values), flags));
    expect(shown).toContain('https://••••••@idp.example');
    expect(shown).toContain('https://••••••@auth.example');
    const problems = problemsOf(values, flags).join();
    expect(problems).toContain('-auth-idp-issuer-url="https://••••••@idp.example" must be');
    expect(shown + problems).not.toMatch(/hun|ter@/);
  });

  test('mask secrets', () => {
    const values = environment({
      ...browser,
      REGISTRATION_TOKEN_SECRET: `${secret}2`,
      IDP_CLIENT_SECRET: `${secret}3`,
    });
    expect(JSON.stringify(effectiveSettings(values, { authStateSecret: `${secret}4` }))).not.toContain(
      secret,
    );
  });
});

describe('an address that other machines can reach', () => {
  const host = { CAIRN_HOST: '0.0.0.0' };
  const problems = (values: object, services: Parameters<typeof readSettings>[2]) => {
    try {
      readSettings({ ...host, ...values }, {}, services);
      return '';
    } catch (error) {
      return (error as SettingsError).problems.join('\n');
    }
  };

  test('requires authentication for each service that listens on it', () => {
    expect(problems({}, ['integrity', 'control-plane'])).toMatch(/integrity service.* and the control plane/);
    expect(problems({}, ['control-plane'])).not.toContain('integrity service');
    expect(problems(environment(browser), ['control-plane'])).toBe('');
    expect(problems(environment(browser), ['integrity'])).toContain(
      'the integrity service (CAIRN_AUTH_MODE)',
    );
    expect(problems({}, [])).toBe('');
  });
});
