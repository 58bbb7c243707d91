import type { Context, MiddlewareHandler } from 'hono';
import { ServiceError } from '../domain/errors.ts';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { type SignedIn, sendsToken } from '../platform/sign-in/session-authentication.ts';

const signInPage = '/ui/sign-in';
/** They name the user, but nobody needs a session for them. */
const openPages = [signInPage, '/docs'];

/**
 * Pages of people who sign in by browser. Without a session they lead to the sign-in page, which leads back. With one,
 * their header names the user. Files of the pages are for everybody.
 * @param signedIn throws ServiceError if nobody is signed in, or the service cannot tell.
 */
export function signedInPages<Caller>(
  app: App<Caller>,
  signedIn: (context: Context<AppEnv<Caller>>) => Promise<SignedIn>,
): void {
  const named: MiddlewareHandler<AppEnv<Caller>> = async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    if (pathname.startsWith('/ui/files/') || sendsToken(context)) return await next();
    try {
      const { user } = await signedIn(context);
      const name = user.nameOverride ?? user.name ?? user.email ?? user.subject;
      context.set('person', { name, isAdministrator: user.role === 'admin' });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'unauthorized' && !openPages.includes(pathname)) {
        context.header('cache-control', 'no-store');
        return context.redirect(`${signInPage}?${signInQuery(context, pathname + search)}`);
      }
    }
    await next();
    // The next user of the browser must not go back to it.
    context.res.headers.set('cache-control', 'no-store');
  };
  for (const path of ['/ui/*', '/docs']) app.use(path, named);
}

/** A failed sign-in comes back to the start page with its error. */
function signInQuery(context: Context, returnTo: string): URLSearchParams {
  const error = context.req.query('error');
  return new URLSearchParams(error === undefined ? { return_to: returnTo } : { error });
}
