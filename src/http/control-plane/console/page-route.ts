import type { Context } from 'hono';
import { errorStatus } from '../../../contract/errors.ts';
import type { KnownCaller } from '../../../domain/control-plane/known-caller.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { AppEnv } from '../../../platform/http/app-env.ts';
import { type ConsolePage, consolePage, refusal } from '../../../ui/console/shell.ts';
import type { Link } from '../../../ui/header.ts';
import { pageAnswer } from '../../pages.ts';
import { neverKept } from '../never-kept.ts';
import type { ControlPlaneApp } from '../operation.ts';
import { visitor } from '../visitor.ts';

interface PageCall {
  readonly context: Context<AppEnv<KnownCaller>>;
  readonly caller: KnownCaller;
  readonly query: Readonly<Record<string, string>>;
}

interface PageRoute {
  readonly path: string;
  /** The page without its content, if the caller may not see it or it fails. */
  readonly bare: Pick<ConsolePage, 'title' | 'here' | 'parent'>;
  /** Why a caller may not see the page; undefined if they may. */
  readonly refuses?: (caller: KnownCaller) => string | undefined;
  readonly show: (call: PageCall) => Promise<ConsolePage> | ConsolePage;
}

export function administratorsOnly({ role }: KnownCaller): string | undefined {
  return role === 'admin' ? undefined : 'Only administrators see this page.';
}

/** Registers a page of the console, for callers who are signed in. */
export function pageRoute(
  app: ControlPlaneApp,
  links: readonly Link[],
  { path, bare, refuses = () => undefined, show }: PageRoute,
): void {
  app.get(path, neverKept, async (context) => {
    const { caller, problem } = await visitor(context);
    const answer = async (page: ConsolePage, status: number) =>
      pageAnswer(context, await consolePage(page, links), status as 200);
    if (!caller) {
      const { pathname, search } = new URL(context.req.url);
      const content =
        problem === undefined
          ? refusal('Nobody is signed in.', pathname + search)
          : refusal(problem, undefined);
      return await answer({ ...bare, content }, problem === undefined ? 200 : 503);
    }
    const reason = refuses(caller);
    if (reason !== undefined) return await answer({ ...bare, content: refusal(reason, undefined) }, 403);
    try {
      return await answer(await show({ context, caller, query: context.req.query() }), 200);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return await answer({ ...bare, content: refusal(error.message, undefined) }, errorStatus[error.code]);
    }
  });
}
