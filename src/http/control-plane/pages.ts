import type { Context } from 'hono';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { returnAddress } from '../../domain/control-plane/return-address.ts';
import type { SessionLimits } from '../../domain/control-plane/sessions.ts';
import { listUsers, type Users } from '../../domain/control-plane/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import { accountPage } from '../../ui/account-page.ts';
import { lineages } from '../../ui/header.ts';
import { signInPage } from '../../ui/sign-in-page.ts';
import { pageAnswer, pageFileAnswer } from '../pages.ts';
import type { AuthDiscoveryRoutes } from './auth-discovery.ts';
import { sessionEnds } from './me.ts';
import { neverKept } from './never-kept.ts';
import type { ControlPlaneApp } from './operation.ts';

export interface AccessPages {
  /** Where the user interface is: the pages lead to nothing else. */
  readonly uiBaseUrl: string;
  /** Whether pages of lineages are at the same address. */
  readonly besideLineages: boolean;
  readonly discovery: AuthDiscoveryRoutes;
  readonly limits: SessionLimits;
  readonly users: Users;
  readonly now: () => Date;
}

const usersOnPage = 50;
const everyone = { email: null, role: null, disabled: null };

/** The pages of the control plane, rendered for whoever has the session of the browser. */
export function accessPages(
  app: ControlPlaneApp,
  { uiBaseUrl, besideLineages, discovery, limits, users, now }: AccessPages,
): void {
  const neighbour = besideLineages ? lineages : undefined;
  app.get('/', (context) => context.redirect('/ui'));
  app.get('/ui', (context) => context.redirect(entryOf(context)));

  app.get('/ui/account', neverKept, async (context) => {
    const { caller, problem } = await visitor(context);
    const session = caller?.session;
    const page = { after: context.req.query('cursor') ?? null, limit: usersOnPage };
    const people = session && caller.role === 'admin' ? await listUsers(users, everyone, page) : undefined;
    const ends = session ? sessionEnds(session, limits, now()) : null;
    return pageAnswer(context, await accountPage({ caller, problem, ends, people }, neighbour));
  });

  app.get('/ui/sign-in', neverKept, async (context) => {
    const { return_to, error } = context.req.query();
    const { isEnabled, browser: provider } = discovery;
    const returnTo = returnAddress(return_to, uiBaseUrl);
    const { caller } = await visitor(context);
    const signedIn = caller?.session ? nameOf(caller) : undefined;
    return pageAnswer(
      context,
      await signInPage({ returnTo, error, isEnabled, provider, signedIn, neighbour }),
    );
  });

  app.get('/ui/files/:name{.+}', async (context) => pageFileAnswer(context, context.req.param('name')));
}

interface Visitor {
  /** undefined for nobody. */
  readonly caller: KnownCaller | undefined;
  readonly problem: string | undefined;
}

/** Who looks at a page, or why the service cannot say so. */
async function visitor(context: Context<AppEnv<KnownCaller>>): Promise<Visitor> {
  try {
    return { caller: await context.get('caller')(), problem: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { caller: undefined, problem: error.code === 'unauthorized' ? undefined : error.message };
  }
}

function nameOf({ user }: KnownCaller): string {
  return user?.email ?? user?.nameOverride ?? user?.name ?? 'somebody without a name';
}

/** A sign-in that failed comes back to the user interface with an error code. */
function entryOf(context: Context): string {
  const error = context.req.query('error');
  return error === undefined ? '/ui/account' : `/ui/sign-in?${new URLSearchParams({ error })}`;
}
