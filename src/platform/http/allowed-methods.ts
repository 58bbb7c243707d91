import type { Context, MiddlewareHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { AppEnv } from './app-env.ts';

interface App {
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

interface Route {
  /** Routes with static segments come before those with parameters, and these before wildcards. */
  readonly rank: string;
  readonly method: string;
}

/**
 * Refuses the methods that a path does not have. The most specific routes that match a path decide: `/blob/batch` is not a
 * blob, although `/blob/:cid` matches it too.
 * @param refuse answers 405 with these methods.
 */
export function allowedMethods<Caller>(
  app: App,
  refuse: (context: Context<AppEnv<Caller>>, methods: readonly string[]) => Response,
): MiddlewareHandler<AppEnv<Caller>> {
  let router: TrieRouter<Route> | undefined;
  return async (context, next) => {
    const { method, path } = context.req;
    router ??= routerOf(app);
    const methods = methodsOf(router, path);
    if (methods.length === 0 || methods.includes(method)) return await next();
    // Another middleware may answer a preflight request.
    if (method === 'OPTIONS') await next();
    if (method === 'OPTIONS' && context.res.status !== 404) return;
    context.res = undefined;
    context.res = refuse(context, methods);
  };
}

function routerOf({ routes }: App): TrieRouter<Route> {
  const router = new TrieRouter<Route>();
  for (const { method, path } of routes)
    if (method !== 'ALL') router.add('ALL', path, { rank: rankOf(path), method });
  return router;
}

function rankOf(path: string): string {
  return path
    .split('/')
    .map((segment) => (/\*|\{/.test(segment) ? '2' : segment.startsWith(':') ? '1' : '0'))
    .join('');
}

function methodsOf(router: TrieRouter<Route>, path: string): string[] {
  const routes = router.match('ALL', path)[0].map(([route]) => route);
  const first = routes.map(({ rank }) => rank).sort()[0];
  const methods = new Set(routes.filter(({ rank }) => rank === first).map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
