import type { Context } from 'hono';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { returnAddress } from '../../domain/control-plane/return-address.ts';
import type { SessionLimits } from '../../domain/control-plane/sessions.ts';
import { listUsers, type Users } from '../../domain/control-plane/users.ts';
import { signInSentences } from '../../platform/sign-in/sign-in-failure.ts';
import { accountPage } from '../../ui/account-page.ts';
import type { Link } from '../../ui/header.ts';
import { signInPage } from '../../ui/sign-in-page.ts';
import { pageAnswer, pageFileAnswer } from '../pages.ts';
import type { AuthDiscoveryRoutes } from './auth-discovery.ts';
import { sessionEnds } from './me.ts';
import type { ControlPlaneApp } from './operation.ts';
import { neverKept, visitor } from './visitor.ts';

export interface AccessPages {
  /** The user interface. The pages link only to addresses in it. */
  readonly uiBaseUrl: string;
  /** The pages at the same address. */
  readonly links: readonly Link[];
  readonly discovery: AuthDiscoveryRoutes;
  readonly limits: SessionLimits;
  readonly users: Users;
  readonly now: () => Date;
}

const usersOnPage = 50;
const everyone = { email: null, role: null, disabled: null };

/** The pages of the control plane, rendered for the session of the browser. */
export function accessPages(
  app: ControlPlaneApp,
  { uiBaseUrl, links, discovery, limits, users, now }: AccessPages,
): void {
  app.get('/', (context) => context.redirect('/ui'));
  app.get('/ui', (context) => context.redirect(entryOf(context)));

  app.get('/ui/account', neverKept, async (context) => {
    const { caller, problem } = await visitor(context);
    const session = caller?.session;
    const page = { after: context.req.query('cursor') ?? null, limit: usersOnPage };
    const people = session && caller.role === 'admin' ? await listUsers(users, everyone, page) : undefined;
    const ends = session ? sessionEnds(session, limits, now()) : null;
    return pageAnswer(context, await accountPage({ caller, problem, ends, people }, links));
  });

  app.get('/ui/sign-in', neverKept, async (context) => {
    const { return_to, error, signed_out } = context.req.query();
    const { isEnabled, browser: provider } = discovery;
    const { caller } = await visitor(context);
    const page = await signInPage({
      returnTo: returnAddress(return_to, uiBaseUrl),
      problem: error === undefined ? undefined : sentenceOf(error),
      isEnabled,
      provider,
      signedOut: signed_out !== undefined && !caller,
      signedIn: caller?.session ? nameOf(caller) : undefined,
      links,
    });
    return pageAnswer(context, page);
  });

  app.get('/ui/files/:name{.+}', (context) => pageFileAnswer(context, context.req.param('name')));
}

function nameOf({ user }: KnownCaller): string {
  return user?.email ?? user?.nameOverride ?? user?.name ?? 'a user without a name';
}

/** A failed sign-in leads to the user interface, with an error code. */
function entryOf(context: Context): string {
  const error = context.req.query('error');
  return error === undefined ? '/ui/account' : `/ui/sign-in?${new URLSearchParams({ error })}`;
}

/** A sentence of this service for an error code in an address, which anybody can write. */
function sentenceOf(code: string): string {
  const known: Readonly<Record<string, string>> = signInSentences;
  return (Object.hasOwn(known, code) && known[code]) || 'The sign-in did not succeed.';
}
