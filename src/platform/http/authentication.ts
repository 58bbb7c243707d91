import type { HonoRequest, MiddlewareHandler } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import { isLoopback } from './addresses.ts';
import type { AppEnv } from './app-env.ts';

export interface DisabledOptions<Caller> {
  readonly caller: Caller;
  readonly anyHost: boolean;
  /** Whether a path is a page without data. Other sites may link to it. */
  readonly isPage: (path: string) => boolean;
}

/**
 * The mode without authentication. Every caller may do everything, so only programs on this machine may call. Web pages
 * in a browser on this machine may not: after DNS rebinding they send a foreign `Host`, otherwise a foreign `Origin`.
 */
export function disabledAuthentication<Caller>({
  caller,
  anyHost,
  isPage,
}: DisabledOptions<Caller>): MiddlewareHandler<AppEnv<Caller>> {
  return async (context, next) => {
    const called = new URL(context.req.url).host;
    const host = context.req.header('host') ?? called;
    for (const name of new Set([host, called]))
      if (!anyHost && !isLoopback(hostName(name)))
        throw new ServiceError(
          'forbidden',
          `Authentication is disabled, so the service answers to loopback names only, not to "${name.slice(0, 100)}". Call it as 127.0.0.1 or localhost.`,
        );
    const site = context.req.header('sec-fetch-site');
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (isForeign && !(isNavigation(context.req) && isPage(context.req.path))) throwOtherSite();
    const origin = context.req.header('origin');
    if (origin !== undefined && !isSameOrigin(origin, host)) throwOtherSite();
    context.set('caller', async () => caller);
    await next();
  };
}

/** A followed link. It opens a document that the linking site cannot read. */
function isNavigation(request: HonoRequest): boolean {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const isDocument = request.header('sec-fetch-dest') === 'document';
  return isReading && isDocument && request.header('sec-fetch-mode') === 'navigate';
}

function hostName(host: string): string {
  return URL.parse(`http://${host}`)?.hostname ?? '';
}

function isSameOrigin(origin: string, host: string): boolean {
  return URL.parse(origin)?.host === host.toLowerCase();
}

function throwOtherSite(): never {
  throw new ServiceError(
    'forbidden',
    'Authentication is disabled, so the service does not answer to pages of other sites.',
  );
}
