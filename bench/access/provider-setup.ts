import type { JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { deviceFlow, providerPage } from './provider-pages.ts';

export interface Account {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
  /** Such as `https://cairn.example/permissions`. */
  readonly [claim: string]: unknown;
}

export const browserClient = { id: 'cairn-browser', secret: 'the secret of the browser client, long enough' };
export const deviceClient = { id: 'cairn-cli' };

export interface Opening {
  readonly issuer: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** Prefix of custom claims, before the slash. */
  readonly namespace: string;
  /** Lifetime of ID tokens and access tokens in seconds. */
  readonly tokenSeconds: number;
  /** Whether ID tokens contain only the subject, and userinfo the rest. */
  readonly hasBareIdTokens?: boolean;
  /** Whether clients authenticate in the body of a request instead of its header. */
  readonly takesSecretInBody?: boolean;
  /** Whether sign-ins by browser get access tokens for the audience. Otherwise their tokens are for userinfo. */
  readonly isForApi?: boolean;
  readonly redirectUris: ReadonlySet<string>;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly keys: readonly JWK[];
}

/** An OpenID provider with two clients, and no questions but who signs in. */
export function openProvider(opening: Opening): Provider {
  const { issuer, audience, namespace, tokenSeconds, redirectUris, accounts, keys } = opening;
  const { hasBareIdTokens = false, takesSecretInBody = false, isForApi = false } = opening;
  const secretMethod = takesSecretInBody ? 'client_secret_post' : 'client_secret_basic';
  const custom = ['permissions', 'organizations', 'has_admin_access'].map((name) => `${namespace}/${name}`);
  const provider: Provider = new Provider(issuer, {
    jwks: { keys: [...keys] },
    clients: [
      {
        client_id: browserClient.id,
        client_secret: browserClient.secret,
        token_endpoint_auth_method: secretMethod,
        redirect_uris: [...redirectUris],
        grant_types: redirectUris.size > 0 ? ['authorization_code', 'refresh_token'] : [],
        response_types: redirectUris.size > 0 ? ['code'] : [],
      },
      {
        client_id: deviceClient.id,
        token_endpoint_auth_method: 'none',
        redirect_uris: [],
        response_types: [],
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      },
    ],
    clientAuthMethods: [secretMethod, 'none'],
    // Large providers put the claims of the scopes into the ID token.
    conformIdTokenClaims: hasBareIdTokens,
    claims: { openid: ['sub', ...custom], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: async () => ({ ...accounts.get(subject), sub: subject }),
    }),
    extraTokenClaims: (_context, token) =>
      'accountId' in token ? namespaced(accounts.get(token.accountId), namespace) : undefined,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    ttl: {
      AccessToken: tokenSeconds,
      IdToken: tokenSeconds,
      DeviceCode: 600,
      Grant: 3_600,
      Interaction: 3_600,
      RefreshToken: 3_600,
      Session: 3_600,
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    expiresWithSession: () => false,
    // The grant exists after sign-in, without asking for consent.
    async loadExistingGrant({ oidc }) {
      const clientId = oidc.client?.clientId ?? '';
      const known = oidc.session?.grantIdFor(clientId);
      if (known) return await provider.Grant.find(known);
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile');
      grant.addResourceScope(audience, 'api');
      await grant.save();
      return grant;
    },
    renderError(context, out) {
      context.body = providerPage('The provider refuses', `<p role="alert">${out.error}</p>`);
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow,
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context, client) =>
          isForApi || client?.clientId === deviceClient.id ? audience : [],
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  // Shorter than the default polling interval of five seconds.
  provider.use(async (context, next) => {
    await next();
    if (context.oidc?.route === 'device_authorization' && context.status === 200)
      Object.assign(context.body as object, { interval: 1 });
  });
  return provider;
}

/** The custom claims of an account. */
export function namespaced(account: Account | undefined, namespace: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(account ?? {}).filter(([claim]) => claim.startsWith(`${namespace}/`)),
  );
}
