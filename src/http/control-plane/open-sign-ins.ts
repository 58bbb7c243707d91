import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PendingSignIn } from '../../platform/sign-in/identity-provider.ts';
import type { Seal } from '../../platform/sign-in/seal.ts';
import { tokenHash } from '../../platform/tokens/token-verifier.ts';

/** A sign-in that has started in a browser. Other tabs may have started more. */
interface OpenSignIn extends PendingSignIn {
  readonly returnTo: string;
}

export interface OpenSignInRules {
  readonly seal: Seal;
  readonly isSecure: boolean;
  /** Contains the login and its callback, as browsers see them. */
  readonly path: string;
}

const prefix = 'svc_signin_';
const ownName = /^svc_signin_[\w-]{22}$/;
/** The time that a person may take at the provider. */
const seconds = 600;
const mostAtOnce = 5;
const longestCookie = 4_096;

/** Keeps a sign-in in a cookie of its own. If there are too many, the oldest are deleted. */
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
  const newest = others.filter(({ exp }) => exp > 0).toSorted((one, other) => other.exp - one.exp);
  const kept = new Set(newest.slice(0, mostAtOnce - 1));
  for (const other of others) if (!kept.has(other)) forget(context, other.name, rules);
  const sealed = await seal.seal({ ...signIn }, seconds);
  setCookie(context, cookieName(signIn.state), sealed, { ...attributes(rules), maxAge: seconds });
}

/** Ends the sign-in with this state and deletes its cookie. undefined if this browser has no such sign-in. */
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

/** Contains a hash, so that the name does not reveal the state. */
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
