import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import { answer, type LoginForm } from '../../bench/access/provider-pages.ts';
import {
  type Account,
  browserClient,
  deviceClient,
  namespaced,
  openProvider,
} from '../../bench/access/provider-setup.ts';
import { type Visited, Visitor } from '../../bench/access/visitor.ts';
import { freePort } from '../../bench/free-port.ts';
import {
  hs256WithPublicKey,
  type SigningPair,
  signed,
  type TokenChanges,
  type TokenForm,
  unsigned,
} from './forgery.ts';

export type { Account };

export interface ProviderOptions {
  /** The redirect URLs. */
  readonly redirectUris?: readonly string[];
  /** The `aud` of access tokens. */
  readonly audience?: string;
  /** Prefix of custom claims, before the slash. */
  readonly namespace?: string;
  /** Lifetime of ID tokens and access tokens in seconds. */
  readonly tokenSeconds?: number;
  /** Whether ID tokens contain only the subject, and userinfo the rest. */
  readonly hasBareIdTokens?: boolean;
  /** Whether clients authenticate in the body of a request instead of its header. */
  readonly takesSecretInBody?: boolean;
}

interface DeviceTokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

type TokenKind = 'id' | 'access';

/** An OpenID provider on this machine. Any name signs in at its login page. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly audience: string;
  readonly namespace: string;
  /** A confidential client for browsers: authorization code with PKCE. */
  readonly browserClient: { readonly id: string; readonly secret: string };
  /** A public client for the device flow, with refresh tokens; its access tokens are JWTs for `audience`. */
  readonly deviceClient: { readonly id: string };
  /** Sets the claims of an account. Other accounts have only `sub`. */
  setAccount(subject: string, account: Account): void;
  /** Adds a redirect URL. Pending logins and codes are lost. */
  allowRedirect(uri: string): void;

  /**
   * Follows an authorization address like a browser, and signs in as `subject`.
   * @returns the redirect URL with `code` and `state`.
   */
  authorize(address: string | URL, subject: string, visitor?: Visitor): Promise<URL>;
  /** The same, but cancels: returns with `error=access_denied`. */
  cancel(address: string | URL, visitor?: Visitor): Promise<URL>;
  /** Enters a user code that a device shows. */
  approveDevice(userCode: string, subject: string): Promise<void>;
  denyDevice(userCode: string): Promise<void>;
  /** Tokens of the provider from the device flow. */
  deviceTokens(subject: string): Promise<DeviceTokens>;

  /** Tokens signed by the provider, by default for the device client and the subject `ada`. */
  idToken(changes?: TokenChanges): Promise<string>;
  accessToken(changes?: TokenChanges): Promise<string>;
  /** Signed with a foreign key, under an unknown `kid` or that of the provider's key. */
  foreignKeyToken(kind: TokenKind, changes?: TokenChanges, kid?: 'unknown' | 'known'): Promise<string>;
  unsignedToken(kind: TokenKind, changes?: TokenChanges): string;
  hs256WithPublicKey(kind: TokenKind, changes?: TokenChanges): Promise<string>;

  /** Signs with a new key from now on. Pending logins and codes are lost. */
  rotateKeys(options?: { readonly keepOld?: boolean }): Promise<void>;
  /** Forgets all grants, so that refresh tokens are refused. Pending logins and codes are lost. */
  withdrawGrants(): void;
  /** Refuses connections until `start`, which listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The number of requests for a path, such as `/jwks`. */
  requests(path: string): number;
}

const anyName: LoginForm = {
  fields: '<label>Account <input name="login" value="" autofocus></label>',
  accountOf: (fields) => fields.get('login') || undefined,
};

export const providerPaths = { discovery: '/.well-known/openid-configuration', keys: '/jwks' } as const;

export async function startProvider(options: ProviderOptions = {}): Promise<TestProvider> {
  const { audience = 'https://integrity.cairn.example', namespace = 'https://cairn.example' } = options;
  const { tokenSeconds = 3_600, hasBareIdTokens = false, takesSecretInBody = false } = options;
  const redirectUris = new Set(options.redirectUris);
  const accounts = new Map<string, Account>();
  const counts = new Map<string, number>();
  const [first, foreign] = await usualPairs();
  let pair = first;
  let published: JWK[] = [await privateJwk(pair)];

  let provider: Provider;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    void answer(provider, anyName, request, response);
  });
  const port = await freePort();
  await listenOn(server, port);
  const issuer = `http://127.0.0.1:${port}`;
  const open = () => {
    provider = openProvider({
      issuer,
      audience,
      namespace,
      tokenSeconds,
      hasBareIdTokens,
      takesSecretInBody,
      redirectUris,
      accounts,
      keys: published,
    });
  };
  open();

  function form(kind: TokenKind): TokenForm {
    const now = Math.floor(Date.now() / 1000);
    const common = { iss: issuer, sub: 'ada', iat: now, exp: now + tokenSeconds };
    if (kind === 'id') {
      const claims = { ...common, ...accounts.get('ada'), aud: deviceClient.id, auth_time: now };
      return { typ: undefined, claims };
    }
    const claims = { ...common, ...namespaced(accounts.get('ada'), namespace), aud: audience };
    return { typ: 'at+jwt', claims: { ...claims, client_id: deviceClient.id, jti: crypto.randomUUID() } };
  }

  const enterCode = async (visitor: Visitor, userCode: string) => {
    const entry = await visitor.open(`${issuer}/device`);
    return await visitor.submit(entry.forms[0], { user_code: userCode });
  };

  async function approveDevice(userCode: string, subject: string): Promise<void> {
    const visitor = new Visitor();
    const confirm = await enterCode(visitor, userCode);
    const login = await visitor.submit(confirm.forms[0]);
    const end = await visitor.submit(login.forms[0], { login: subject });
    if (!end.text.includes('The device is signed in')) throw new Error(`The provider says: ${end.text}`);
  }

  return {
    issuer,
    audience,
    namespace,
    browserClient,
    deviceClient,
    setAccount: (subject, account) => void accounts.set(subject, account),
    allowRedirect(uri) {
      redirectUris.add(uri);
      open();
    },

    async authorize(address, subject, visitor = new Visitor()) {
      const login = await visitor.open(address);
      // A browser that is already signed in is redirected at once.
      if (login.url.origin !== issuer) return login.url;
      return sentBack(await visitor.submit(login.forms[0], { login: subject }), issuer);
    },
    async cancel(address, visitor = new Visitor()) {
      const login = await visitor.open(address);
      return sentBack(await visitor.submit(login.forms[1]), issuer);
    },
    approveDevice,
    async denyDevice(userCode) {
      const visitor = new Visitor();
      const confirm = await enterCode(visitor, userCode);
      await visitor.submit(confirm.forms[0], { abort: 'yes' });
    },
    async deviceTokens(subject) {
      const client = { client_id: deviceClient.id };
      const started = await post(`${issuer}/device/auth`, { ...client, scope: 'openid profile email' });
      await approveDevice(String(started.user_code), subject);
      const tokens = await post(`${issuer}/token`, {
        ...client,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(started.device_code),
      });
      return tokens as unknown as DeviceTokens;
    },

    idToken: async (changes) => await signed(pair, form('id'), changes),
    accessToken: async (changes) => await signed(pair, form('access'), changes),
    foreignKeyToken: async (kind, changes, kid = 'unknown') =>
      await signed(kid === 'known' ? { ...foreign, kid: pair.kid } : foreign, form(kind), changes),
    unsignedToken: (kind, changes) => unsigned(form(kind), changes),
    hs256WithPublicKey: async (kind, changes) => await hs256WithPublicKey(pair, form(kind), changes),

    async rotateKeys({ keepOld = false } = {}) {
      pair = await newPair();
      published = [await privateJwk(pair), ...(keepOld ? published : [])];
      open();
    },
    withdrawGrants: open,
    stop: async () => await close(server),
    start: async () => await listenOn(server, port),
    requests: (path) => counts.get(path) ?? 0,
    [Symbol.asyncDispose]: async () => await close(server),
  };
}

function sentBack(end: Visited, issuer: string): URL {
  if (end.url.origin !== issuer) return end.url;
  throw new Error(`The provider does not send the browser back, but says: ${end.text}`);
}

async function post(url: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

let pairs: Promise<[SigningPair, SigningPair]> | undefined;

/** Two key pairs for all providers of a process, because generating them is slow. */
async function usualPairs(): Promise<[SigningPair, SigningPair]> {
  pairs ??= Promise.all([newPair(), newPair()]);
  return await pairs;
}

async function newPair(): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid: crypto.randomUUID(), privateKey, publicKey };
}

async function privateJwk({ kid, privateKey }: SigningPair): Promise<JWK> {
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
