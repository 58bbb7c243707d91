import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { answer, type LoginForm } from '../access/provider-pages.ts';
import { type Account, browserClient, deviceClient, openProvider } from '../access/provider-setup.ts';
import { emailOf, type Login, type Person, people } from './people.ts';

const namespace = 'https://cairn.example';
const audience = 'urn:cairn:demo';
const tokenSeconds = 3_600;
/** Nobody can guess them, and they are short enough to type. */
const passwordBytes = 6;

/** An OpenID provider on this machine with the people of the demo. */
export interface DemoProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The settings of a service that trusts this provider. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of each person, new at each start. */
  readonly passwords: ReadonlyMap<string, string>;
  /** An access token, as if this person had signed in. */
  accessToken(login: Login): Promise<string>;
}

/**
 * @param port of 127.0.0.1. 0 picks a free one.
 * @param serviceUrl where browsers reach the service.
 */
export async function startDemoProvider(port: number, serviceUrl: string): Promise<DemoProvider> {
  const listed: readonly Person[] = Object.values(people);
  const accounts = new Map(listed.map((person) => [person.login, accountOf(person)]));
  const passwords = new Map(listed.map(({ login }) => [login, randomBytes(passwordBytes).toString('hex')]));
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' };
  const callback = `${serviceUrl}/v1/auth/callback/idp`;
  const login = byPassword(passwords);
  const server = createServer((request, response) => {
    if (startsSignIn(request)) forgetSession(request);
    void answer(provider, login, request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = openProvider({
    issuer,
    audience,
    namespace,
    tokenSeconds,
    isForApi: true,
    redirectUris: new Set([callback]),
    accounts,
    keys: [key],
  });
  return {
    issuer,
    settings: settingsFor(issuer, callback),
    passwords,
    accessToken: async (login) =>
      await new SignJWT({ ...accounts.get(login), client_id: deviceClient.id })
        .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(login)
        .setIssuedAt()
        .setExpirationTime(`${tokenSeconds}s`)
        .sign(privateKey),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function startsSignIn({ method, url = '' }: IncomingMessage): boolean {
  return url.startsWith('/auth') || (method === 'GET' && /^\/device(?:\?|$)/.test(url));
}

/** So each sign-in asks who it is, and one browser can sign in as one person after another. */
function forgetSession({ headers }: IncomingMessage): void {
  headers.cookie = headers.cookie
    ?.split('; ')
    .filter((cookie) => !cookie.startsWith('_session'))
    .join('; ');
}

function accountOf(person: Person): Account {
  const { name, permissions, organizations = {}, has_admin_access = false } = person;
  const granted = Object.entries({ permissions, organizations, has_admin_access });
  return {
    name,
    email: emailOf(person),
    email_verified: true,
    ...Object.fromEntries(granted.map(([claim, value]) => [`${namespace}/${claim}`, value])),
  };
}

function byPassword(passwords: DemoProvider['passwords']): LoginForm {
  const input = (label: string, name: string, type: string, completion: string) =>
    `<label>${label} <input name="${name}" type="${type}" autocomplete="${completion}" required></label>`;
  return {
    fields:
      input('User name', 'login', 'text', 'username') +
      input('Password', 'password', 'password', 'current-password'),
    accountOf(fields) {
      const login = fields.get('login')?.trim().toLowerCase() ?? '';
      return passwords.has(login) && passwords.get(login) === fields.get('password') ? login : undefined;
    },
  };
}

function settingsFor(issuer: string, callback: string): Record<string, string> {
  return {
    CAIRN_AUTH_MODE: 'oidc',
    CAIRN_OIDC_ISSUER_URL: issuer,
    CAIRN_OIDC_AUDIENCE: audience,
    CAIRN_CLAIM_NAMESPACE: namespace,
    CONTROL_PLANE_AUTH_ENABLED: 'true',
    CONTROL_PLANE_AUTH_STATE_SECRET: randomBytes(32).toString('base64url'),
    CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET: randomBytes(32).toString('base64url'),
    // Some browsers keep Secure cookies of http://127.0.0.1, others do not.
    CONTROL_PLANE_AUTH_COOKIE_SECURE: 'false',
    CONTROL_PLANE_AUTH_BOOTSTRAP_ADMIN_EMAIL: emailOf(people.ada),
    CONTROL_PLANE_AUTH_IDP_ENABLED: 'true',
    CONTROL_PLANE_AUTH_IDP_ISSUER_URL: issuer,
    CONTROL_PLANE_AUTH_IDP_CLIENT_ID: browserClient.id,
    CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET: browserClient.secret,
    CONTROL_PLANE_AUTH_IDP_REDIRECT_URL: callback,
    CONTROL_PLANE_AUTH_BEARER_ENABLED: 'true',
    CONTROL_PLANE_AUTH_BEARER_ISSUER_URL: issuer,
    CONTROL_PLANE_AUTH_BEARER_CLIENT_ID: deviceClient.id,
  };
}
