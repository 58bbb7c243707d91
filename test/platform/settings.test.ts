import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsFile, settingsPage } from '../../docs/settings-page.ts';
import { isLoopback } from '../../src/platform/http/addresses.ts';
import { bytes, duration, rate, wait } from '../../src/platform/settings/kinds.ts';
import { publicUrlOf, settingTable } from '../../src/platform/settings/setting-table.ts';
import {
  effectiveSettings,
  readSettings,
  SettingsError,
  unknownVariables,
} from '../../src/platform/settings/settings.ts';

function problemsOf(environment: Record<string, string>, flags = {}): readonly string[] {
  try {
    readSettings(environment, flags);
    return [];
  } catch (error) {
    return (error as SettingsError).problems;
  }
}

describe('settings', () => {
  test('have the documented defaults', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 3_050,
      dataDir: './data',
      logLevel: 'info',
      maxJsonBytes: 32 * 2 ** 20,
      maxBlobBytes: 5 * 2 ** 30,
      maxStatementBytes: 2 ** 20,
      maxBatchStatements: 10_000,
      maxJsonDepth: 64,
      debugErrors: false,
    });
  });

  test('a flag wins over a variable, and a variable over the default', () => {
    expect(readSettings({ CAIRN_PORT: '1' }, { port: '2' }).port).toBe(2);
    expect(readSettings({ CAIRN_PORT: '1' }).port).toBe(1);
  });

  test('report every problem at once, including contradictions', () => {
    const problems = problemsOf(
      { CAIRN_HOST: '0.0.0.0', CAIRN_LOG_LEVEL: 'loud', CAIRN_MAX_JSON_BYTES: '1 MB' },
      { port: '99999' },
    );
    expect(problems).toHaveLength(5);
    expect(problems.join('\n')).toMatch(/--port="99999".*\n.*CAIRN_LOG_LEVEL="loud"/);
    expect(problems.at(-2)).toContain('CAIRN_ALLOW_UNAUTHENTICATED');
    expect(problems.at(-1)).toContain('CAIRN_PUBLIC_URL');
  });

  test('refuse one port for requests and metrics, unless it is picked', () => {
    expect(problemsOf({ CAIRN_PORT: '4000', CAIRN_METRICS_PORT: '4000' })).toEqual([
      'CAIRN_METRICS_PORT and CAIRN_PORT are both 4000. Metrics need a port of their own.',
    ]);
    expect(problemsOf({ CAIRN_PORT: '0', CAIRN_METRICS_PORT: '0' })).toEqual([]);
  });

  test('refuse addresses other than loopback unless unauthenticated access is allowed', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'example.org']) {
      const reachable = { CAIRN_HOST: host, CAIRN_PUBLIC_URL: 'https://cairn.example' };
      expect(problemsOf(reachable)).toHaveLength(1);
      expect(problemsOf({ ...reachable, CAIRN_ALLOW_UNAUTHENTICATED: 'true' })).toEqual([]);
    }
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])
      expect(problemsOf({ CAIRN_HOST: host })).toEqual([]);
  });

  test('report everything that an authentication mode lacks at once', () => {
    const oidc = {
      CAIRN_AUTH_MODE: 'oidc',
      CAIRN_OIDC_ISSUER_URL: 'https://idp.example/realm/',
      CAIRN_OIDC_AUDIENCE: 'cairn',
      CAIRN_CLAIM_NAMESPACE: 'https://cairn.example/',
    };
    expect(problemsOf(oidc)).toEqual([]);
    expect(readSettings(oidc)).toMatchObject({
      oidcIssuerUrl: 'https://idp.example/realm/',
      claimNamespace: 'https://cairn.example',
    });
    const reachable = { ...oidc, CAIRN_HOST: '0.0.0.0', CAIRN_PUBLIC_URL: 'https://cairn.example' };
    expect(() => readSettings(reachable, {}, ['integrity'])).not.toThrow();
    expect(problemsOf({ CAIRN_AUTH_MODE: 'oidc', CAIRN_PORT: 'x' })).toEqual([
      expect.stringContaining('CAIRN_PORT'),
      expect.stringContaining('CAIRN_OIDC_ISSUER_URL'),
      expect.stringContaining('CAIRN_OIDC_AUDIENCE'),
      expect.stringContaining('CAIRN_CLAIM_NAMESPACE'),
    ]);
    const service = { CAIRN_AUTH_MODE: 'auth_service' };
    expect(problemsOf(service)).toEqual([expect.stringContaining('CAIRN_AUTH_SERVICE_BASE_URL')]);
    expect(problemsOf({ ...service, CAIRN_AUTH_SERVICE_BASE_URL: 'https://auth.example' })).toEqual([]);
    expect(problemsOf({ CAIRN_AUTH_MODE: 'ldap' })).toEqual([expect.stringContaining('must be one of')]);
  });

  test('refuse authentication settings without an authentication mode', () => {
    for (const [name, value] of [
      ['CAIRN_OIDC_ISSUER_URL', 'https://idp.example'],
      ['CAIRN_OIDC_AUDIENCE', 'cairn'],
      ['CAIRN_AUTH_SERVICE_BASE_URL', 'https://auth.example'],
    ] as const) {
      expect(problemsOf({ [name]: value })).toEqual([
        expect.stringContaining(`${name} is set, but CAIRN_AUTH_MODE`),
      ]);
      expect(problemsOf({ [name]: value, CAIRN_AUTH_MODE: 'disabled' })).toEqual([]);
    }
  });

  test.each([
    'http://idp.example',
    'ftp://idp.example',
    'idp.example',
    'https://user:word@idp.example',
    'https://idp.example?x=1',
    'https://idp.example#x',
    'http://127.0.0.1.example.org',
  ])('refuse %s as the URL of a trusted server', (url) => {
    const auth = { CAIRN_AUTH_MODE: 'disabled' };
    expect(problemsOf({ ...auth, CAIRN_OIDC_ISSUER_URL: url })).toHaveLength(1);
    expect(problemsOf({ ...auth, CAIRN_AUTH_SERVICE_BASE_URL: url })).toHaveLength(1);
    const here = 'http://localhost:4000/realm';
    expect(readSettings({ ...auth, CAIRN_OIDC_ISSUER_URL: here }).oidcIssuerUrl).toBe(here);
  });

  test('never show a secret in a problem or a value', () => {
    const problems = problemsOf({ CAIRN_MONGODB_URL: 'postgres://user:very-secret@host' });
    expect(problems).toEqual([
      expect.stringMatching(/^CAIRN_MONGODB_URL="…" must be a MongoDB connection string/),
    ]);
    const shown = effectiveSettings({ CAIRN_MONGODB_URL: 'mongodb://user:very-secret@host' });
    expect(JSON.stringify([problems, shown])).not.toContain('very-secret');
  });

  test.each([
    [
      { CAIRN_MAX_JSON_BYTES: '129MiB' },
      'CAIRN_MAX_JSON_BYTES is larger than CAIRN_MAX_CALLER_BUFFERED_BYTES',
    ],
    [
      { CAIRN_MAX_CALLER_BUFFERED_BYTES: '257MiB' },
      'CAIRN_MAX_CALLER_BUFFERED_BYTES is larger than CAIRN_MAX_BUFFERED_BYTES',
    ],
  ])('refuse byte budgets that contradict each other: %j', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
    const equal = { CAIRN_MAX_JSON_BYTES: '1GiB', CAIRN_MAX_CALLER_BUFFERED_BYTES: '1GiB' };
    expect(problemsOf({ ...equal, CAIRN_MAX_BUFFERED_BYTES: '1GiB' })).toEqual([]);
  });

  test('require Redis with MongoDB, unless jobs run in process', () => {
    const url = { CAIRN_MONGODB_URL: 'mongodb://host', CAIRN_PUBLIC_URL: 'https://cairn.example' };
    const mongodb = { ...url, CAIRN_SIGNING_KEY_FILE: 'key.json' };
    expect(problemsOf(mongodb)).toEqual([expect.stringContaining('but CAIRN_REDIS_URL is not')]);
    expect(problemsOf({ ...mongodb, CAIRN_JOBS: 'in-process' })).toEqual([]);
    expect(problemsOf({ ...mongodb, CAIRN_REDIS_URL: 'rediss://:word@host:6380/1' })).toEqual([]);
    expect(problemsOf({ CAIRN_JOBS: 'bullmq' })).toEqual([expect.stringContaining('needs a Redis')]);
    const secret = problemsOf({ CAIRN_REDIS_URL: 'http://user:s3cret@host' });
    expect(secret).toEqual([expect.stringContaining('redis://host:6379')]);
    expect(String(secret)).not.toContain('s3cret');
  });

  test('require neither Redis nor a signing key for the control plane alone', () => {
    const mongodb = { CAIRN_MONGODB_URL: 'mongodb://host' };
    expect(() => readSettings(mongodb, {}, ['control-plane'])).not.toThrow();
    expect(() => readSettings(mongodb, {}, [])).toThrow('CAIRN_SIGNING_KEY_FILE');
  });

  test('require a public URL where credentials would name an address that others cannot use', () => {
    const shared = {
      CAIRN_MONGODB_URL: 'mongodb://host',
      CAIRN_REDIS_URL: 'redis://host',
      CAIRN_SIGNING_KEY_FILE: 'key.json',
    };
    const reachable = { CAIRN_HOST: '0.0.0.0', CAIRN_ALLOW_UNAUTHENTICATED: 'true' };
    expect(problemsOf(shared)).toEqual([expect.stringMatching(/^CAIRN_PUBLIC_URL is .* processes share/)]);
    expect(problemsOf(reachable)).toEqual([
      expect.stringMatching(/^CAIRN_PUBLIC_URL is .* CAIRN_HOST="0\.0\.0\.0"/),
    ]);
    for (const values of [shared, reachable]) {
      expect(problemsOf({ ...values, CAIRN_PUBLIC_URL: 'https://cairn.example' })).toEqual([]);
      expect(() => readSettings(values, {}, ['control-plane'])).not.toThrow();
      expect(() => readSettings(values, {}, [])).not.toThrow();
    }
  });

  test('require a signing key with MongoDB', () => {
    const url = { CAIRN_MONGODB_URL: 'mongodb+srv://host', CAIRN_PUBLIC_URL: 'https://cairn.example' };
    const mongodb = { ...url, CAIRN_REDIS_URL: 'redis://host' };
    expect(problemsOf(mongodb)).toEqual([expect.stringContaining('CAIRN_SIGNING_KEY_FILE')]);
    expect(problemsOf({ ...mongodb, CAIRN_SIGNING_KEY_FILE: 'key.json' })).toEqual([]);
  });

  test.each(['a.b', 'admin', 'Local', 'x'.repeat(64)])('refuse "%s" as a database name', (name) => {
    expect(problemsOf({ CAIRN_MONGODB_DATABASE: name })).toEqual([
      expect.stringContaining('CAIRN_MONGODB_DATABASE'),
    ]);
  });

  const plain = Object.values(settingTable).filter(({ hasGoFlag }) => !hasGoFlag);
  test.each(plain.map(({ variable }) => variable))('refuse an empty %s and say what to do', (variable) => {
    for (const empty of ['', ' '])
      expect(problemsOf({ [variable]: empty })).toContain(
        `${variable} is empty. Give it a value, or leave it out.`,
      );
  });

  test.each(Object.values(settingTable))('say in words what is wrong with $variable', ({ variable }) => {
    const said = fc.property(fc.string({ minLength: 1 }), (value) => {
      try {
        readSettings({ [variable]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(SettingsError);
      }
    });
    fc.assert(said, { numRuns: 30 });
  });

  test('find misspelt variables', () => {
    expect(
      unknownVariables({ CAIRN_PROT: '1', CAIRN_PORT: '1', CAIRN_URL: 'x', CAIRN_TEST_DATA: 'y', PATH: '' }),
    ).toEqual(['CAIRN_PROT']);
  });

  test('are documented in docs/settings.md, as "npm run docs" writes it', () => {
    expect(readFileSync(settingsFile, 'utf8')).toBe(settingsPage());
  });

  test('show the effective value, the flag and whether it is the default', () => {
    const shown = effectiveSettings({ CAIRN_PORT: '1' }).find(({ variable }) => variable === 'CAIRN_PORT');
    expect(shown).toMatchObject({ value: '1', isDefault: false, flag: 'port' });
  });
});

describe('kinds of settings', () => {
  test.each([
    ['5GiB', 5 * 2 ** 30],
    ['512KiB', 512 * 2 ** 10],
    ['100', 100],
  ])('bytes accepts %s', (text, expected) => expect(bytes.parse(text)).toBe(expected));

  test.each(['', '0', '-1', '1.5MiB', '5 GiB', '5GB', '99999999999999'])('bytes refuses "%s"', (text) =>
    expect(() => bytes.parse(text)).toThrow(),
  );

  test.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['12h', 43_200_000],
    ['500ms', 500],
  ])('duration accepts %s', (text, expected) => expect(duration.parse(text)).toBe(expected));

  test.each(['', '5', '0s', '1d', '-1s', '1h 30m'])('duration refuses "%s"', (text) =>
    expect(() => duration.parse(text)).toThrow(),
  );

  test('waits are limited to a day, because timers cannot count a month', () => {
    expect(wait.parse('24h')).toBe(86_400_000);
    for (const text of ['24h1s', '720h']) expect(() => wait.parse(text)).toThrow('24h');
    for (const name of ['START_WAIT', 'LIMIT_WAIT', 'DOCUMENT_TIME', 'REQUEST_TIME'])
      expect(problemsOf({ [`CAIRN_${name}`]: '720h' })).toEqual([expect.stringContaining('at most 24h')]);
  });
});

test('a rate is a count per period', () => {
  expect(rate.parse('30/1m')).toEqual({ points: 30, perMs: 60_000 });
  for (const text of ['', '30', '0/1m', '30/', '/1m', '30/10ms', '-1/1m', '1.5/1m', '30/1m/2'])
    expect(() => rate.parse(text)).toThrow();
  expect(rate.parse('30/24h').perMs).toBe(86_400_000);
  expect(() => rate.parse('30/720h')).toThrow('24h');
});

test('names that merely contain a loopback name are not loopback', () => {
  for (const name of ['127.0.0.1.example.org', 'localhost.example.org', '128.0.0.1', '', '0.0.0.0'])
    expect(isLoopback(name)).toBe(false);
});

test.each([
  ['https://cairn.example/', 'https://cairn.example'],
  ['http://cairn.example:8080/path', 'http://cairn.example:8080/path'],
])('CAIRN_PUBLIC_URL=%s is read as %s', (value, url) => {
  expect(publicUrlOf(readSettings({ CAIRN_PUBLIC_URL: value }))).toBe(url);
});

test.each(['cairn.example', 'ftp://cairn.example', 'https://cairn.example/?a=b', 'https://me@cairn.example'])(
  'CAIRN_PUBLIC_URL=%s is refused',
  (value) => {
    expect(() => readSettings({ CAIRN_PUBLIC_URL: value })).toThrow('CAIRN_PUBLIC_URL');
  },
);

test('the public URL is the address to listen on by default', () => {
  expect(publicUrlOf(readSettings({}))).toBe('http://127.0.0.1:3050');
  expect(publicUrlOf(readSettings({ CAIRN_HOST: '::1', CAIRN_PORT: '80' }))).toBe('http://[::1]:80');
});
