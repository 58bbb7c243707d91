import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import {
  callbackParams,
  callbackQuery,
  loginQuery,
  providerId,
  redirect,
} from '../../contract/control-plane/authentication.ts';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { type LoginRules, logIn } from '../../domain/control-plane/logins.ts';
import { returnAddress } from '../../domain/control-plane/return-address.ts';
import type { SessionTokenPorts } from '../../domain/control-plane/session-tokens.ts';
import {
  beginSession,
  endSession,
  type SessionLimits,
  type Sessions,
} from '../../domain/control-plane/sessions.ts';
import type { Users } from '../../domain/control-plane/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import { clientAddress } from '../../platform/http/addresses.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import type { RateLimits } from '../../platform/rate-limits/rate-limits.ts';
import type { IdentityProvider } from '../../platform/sign-in/identity-provider.ts';
import { type CookieRules, sessionIdsOf, setSessionCookies } from '../../platform/sign-in/session-cookies.ts';
import { SignInFailure, signInProblems } from '../../platform/sign-in/sign-in-failure.ts';
import { type Answered, readyAnswer } from '../answering.ts';
import { errorAnswer } from '../answers.ts';
import { type OpenSignInRules, rememberSignIn, takeSignIn } from './open-sign-ins.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const tag = 'Authentication';

export interface BrowserSignIn {
  readonly provider: IdentityProvider;
  readonly rules: LoginRules;
  readonly limits: SessionLimits;
  readonly cookies: CookieRules;
  readonly openSignIns: OpenSignInRules;
  /** Encrypts tokens for the store, until a time in milliseconds since 1970. */
  readonly sealed: SessionTokenPorts['seal'];
  /** Names the session secret. */
  readonly secretId: string;
  readonly uiBaseUrl: string;
}

export interface SignInRoutes {
  /** null if nobody signs in by browser. */
  readonly browser: BrowserSignIn | null;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly rateLimits: Pick<RateLimits, 'consume'>;
  readonly trustedProxies: BlockList | null;
  readonly now: () => Date;
  readonly newId: () => string;
  /** 256 random bits in base64url. */
  readonly newSecret: () => string;
}

const redirects = { description: 'Where the browser continues', headers: redirect };
const refusals = {
  404: errorAnswer('There is no such provider, or sign-in by browser is disabled'),
  429: errorAnswer('Too many sign-ins from this address. Retry-After says how long to wait'),
};
const failing = `A failed sign-in redirects to the user interface with \`?error=${signInProblems.join('|')}\`. Callers that accept only JSON get the error as JSON.`;

export function signInRoutes(app: ControlPlaneApp, ports: SignInRoutes): void {
  operation(app, 'GET /v1/auth/login', {
    access: 'public',
    audit: 'queued',
    tag,
    summary: 'Start a sign-in by browser',
    description: `Redirects to the provider (authorization code flow with PKCE). ${failing}`,
    query: loginQuery,
    answers: { 302: redirects, ...refusals },
    handle: async ({ context, query }) =>
      await attempt(context, ports, { step: 'login', provider: query.provider }, async (browser) => {
        const { address, pending } = await browser.provider.begin();
        const returnTo = returnAddress(query.return_to, browser.uiBaseUrl);
        await rememberSignIn(context, { ...pending, returnTo }, browser.openSignIns);
        return readyAnswer(context.redirect(address.href));
      }),
  });

  operation(app, 'GET /v1/auth/callback/{provider}', {
    access: 'public',
    audit: 'after',
    tag,
    summary: 'Finish a sign-in by browser',
    description: `Creates the session and sets the cookies svc_session and svc_csrf. Each sign-in can be finished once. ${failing}`,
    params: callbackParams,
    query: callbackQuery,
    answers: { 302: redirects, 401: errorAnswer('The provider did not confirm the identity'), ...refusals },
    handle: async ({ context, params }) =>
      await attempt(context, ports, { step: 'callback', provider: params.provider }, async (browser) => {
        const answer = new URL(context.req.url).searchParams;
        const open = await takeSignIn(context, answer.get('state') ?? '', browser.openSignIns);
        if (!open) throw new SignInFailure('expired', 'this browser has no sign-in with that state');
        const { identity, tokens } = await browser.provider.finish(answer, open);
        note(context, { actor: { issuer: identity.issuer, subject: identity.subject, means: 'session' } });
        const user = await logIn(ports, identity, browser.rules).catch(fail);
        const { id: userId, issuer, subject } = user;
        const { limits, secretId } = browser;
        const sealedTokens = await browser.sealed(tokens, ports.now().getTime() + limits.maxAge);
        note(context, { target: userId });
        const session = { userId, issuer, subject, secretId, sealedTokens };
        const secrets = await beginSession(ports, session, limits);
        for (const before of sessionIdsOf(context)) await endSession(ports, before);
        setSessionCookies(context, secrets, browser.cookies);
        context.get('log').info({ user: userId }, 'A user has signed in.');
        return readyAnswer(context.redirect(open.returnTo));
      }),
  });
}

/** One step of a sign-in. If it fails, the browser goes to a page that explains the failure. */
async function attempt(
  context: Context<AppEnv<KnownCaller>>,
  { browser, rateLimits, trustedProxies }: SignInRoutes,
  { step, provider }: { readonly step: 'login' | 'callback'; readonly provider: string },
  act: (browser: BrowserSignIn) => Promise<Answered>,
): Promise<Answered> {
  if (browser === null || provider !== providerId) {
    throw new ServiceError(
      'not_found',
      'This service does not have that provider. GET /v1/auth/providers lists its providers.',
    );
  }
  await rateLimits.consume(step, clientAddress(context, trustedProxies));
  try {
    return await act(browser);
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { problem, reason, code } = error;
    context.get('log').warn({ problem, reason }, 'A sign-in has failed.');
    note(context, { refusal: code, details: { fault: problem } });
    if (acceptsOnlyJson(context)) throw error;
    const page = new URL(browser.uiBaseUrl);
    page.searchParams.set('error', problem);
    return readyAnswer(context.redirect(page.href));
  }
}

function acceptsOnlyJson(context: Context): boolean {
  const accepted = context.req.header('accept') ?? '';
  return accepted.includes('json') && !/html|\*\/\*/.test(accepted);
}

function fail(error: unknown): never {
  if (error instanceof ServiceError && error.code === 'forbidden')
    throw new SignInFailure('refused', error.message, error.message);
  throw error;
}
