import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PendingSignIn } from '../../platform/sign-in/identity-provider.ts';
import type { Seal } from '../../platform/sign-in/seal.ts';
import { tokenHash } from '../../platform/tokens/token-verifier.ts';

/** A sign-in that goes on in one browser, perhaps beside others in other tabs. */
export interface OpenSignIn extends PendingSignIn {
  readonly returnTo: string;
}

export interface OpenSignInRules {
  readonly seal: Seal;
  readonly isSecure: boolean;
  /** Beneath which both the login and its callback lie, as browsers see them. */
  readonly path: string;
}

const prefix = 'svc_signin_';
const ownName = /^svc_signin_[\w-]{22}$/;
/** Somebody at the provider may take so long. */
const seconds = 600;
const mostAtOnce = 5;
const longestCookie = 4_096;

/** Remembers a sign-in in a cookie of its own; of too many the oldest are forgotten. */
export async function rememberSignIn(
  context: Context,
  signIn: OpenSignIn,
  { seal, ...rules }: OpenSignInRules,
): Promise<void> {
  const others = await Promise.all(
    Object.entries(getCookie(context))
      .filter(([name]) => ownName.test(name))
      .map(async ([name, value]) => ({ name, exp: (await opened(seal, value))?.exp ?? 0 })),
  );
  const kept = others.toSorted((one, other) => other.exp - one.exp).slice(0, mostAtOnce - 1);
  for (const { name, exp } of others)
    if (exp === 0 || !kept.some((one) => one.name === name)) forget(context, name, rules);
  const sealed = await seal.seal({ ...signIn }, seconds);
  setCookie(context, cookieName(signIn.state), sealed, { ...attributes(rules), maxAge: seconds });
}

/** The sign-in of a state, which is over by that: its cookie goes. undefined when this browser has none. */
export async function takeSignIn(
  context: Context,
  state: string,
  { seal, ...rules }: OpenSignInRules,
): Promise<OpenSignIn | undefined> {
  const name = cookieName(state);
  const value = getCookie(context, name);
  if (value === undefined) return undefined;
  forget(context, name, rules);
  const signIn = await opened(seal, value);
  return signIn?.state === state ? signIn : undefined;
}

async function opened(seal: Seal, value: string) {
  if (value.length > longestCookie) return undefined;
  return (await seal.open(value)) as (OpenSignIn & { readonly exp: number }) | undefined;
}

/** Of the state's hash: the state itself is known to nobody who sees names of cookies alone. */
function cookieName(state: string): string {
  return `${prefix}${tokenHash(state).slice(0, 22)}`;
}

type Rules = Omit<OpenSignInRules, 'seal'>;

function forget(context: Context, name: string, rules: Rules): void {
  deleteCookie(context, name, attributes(rules));
}

function attributes({ isSecure, path }: Rules) {
  return { path, sameSite: 'Lax', secure: isSecure, httpOnly: true } as const;
}
