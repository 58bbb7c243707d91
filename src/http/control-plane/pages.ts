import type { Context } from 'hono';
import { returnAddress } from '../../domain/control-plane/return-address.ts';
import { accountPage } from '../../ui/account-page.ts';
import { signInPage } from '../../ui/sign-in-page.ts';
import { pageAnswer, pageFileAnswer } from '../pages.ts';
import type { ControlPlaneApp } from './operation.ts';

export interface AccessPages {
  /** Where the user interface is: a sign-in leads to nothing else. null where nobody signs in by browser. */
  readonly uiBaseUrl: string | null;
  /** Where `/ui` leads. */
  readonly home: string;
}

/** The pages of the control plane. They hold no data: their scripts ask the API, by the session of the browser. */
export function accessPages(app: ControlPlaneApp, { uiBaseUrl, home }: AccessPages): void {
  for (const path of ['/', '/ui']) app.get(path, (context) => context.redirect(entryOf(context, home)));
  app.get('/ui/account', async (context) => pageAnswer(context, await accountPage()));
  app.get('/ui/sign-in', async (context) => {
    const { return_to, error } = context.req.query();
    const returnTo = uiBaseUrl === null ? '/ui' : returnAddress(return_to, uiBaseUrl);
    return pageAnswer(context, await signInPage({ returnTo, error }));
  });
  app.get('/ui/files/:name', async (context) => pageFileAnswer(context, context.req.param('name')));
}

/** A sign-in that failed comes back to the user interface with an error code. */
function entryOf(context: Context, home: string): string {
  const error = context.req.query('error');
  return error === undefined ? home : `/ui/sign-in?${new URLSearchParams({ error })}`;
}
