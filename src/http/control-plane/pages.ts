import type { Context } from 'hono';
import { returnAddress } from '../../domain/control-plane/return-address.ts';
import { accountPage } from '../../ui/account-page.ts';
import { lineages } from '../../ui/header.ts';
import { signInPage } from '../../ui/sign-in-page.ts';
import { pageAnswer, pageFileAnswer } from '../pages.ts';
import type { ControlPlaneApp } from './operation.ts';

export interface AccessPages {
  /** Where the user interface is: the pages lead to nothing else. */
  readonly uiBaseUrl: string;
  /** Whether pages of lineages are at the same address. */
  readonly besideLineages: boolean;
}

/** The pages of the control plane. They hold no data: their scripts ask the API, by the session of the browser. */
export function accessPages(app: ControlPlaneApp, { uiBaseUrl, besideLineages }: AccessPages): void {
  const neighbour = besideLineages ? lineages : undefined;
  app.get('/', (context) => context.redirect('/ui'));
  app.get('/ui', (context) => context.redirect(entryOf(context)));
  app.get('/ui/account', async (context) => pageAnswer(context, await accountPage(neighbour)));
  app.get('/ui/sign-in', async (context) => {
    const { return_to, error } = context.req.query();
    const returnTo = returnAddress(return_to, uiBaseUrl);
    return pageAnswer(context, await signInPage({ returnTo, error, neighbour }));
  });
  app.get('/ui/files/:name{.+}', async (context) => pageFileAnswer(context, context.req.param('name')));
}

/** A sign-in that failed comes back to the user interface with an error code. */
function entryOf(context: Context): string {
  const error = context.req.query('error');
  return error === undefined ? '/ui/account' : `/ui/sign-in?${new URLSearchParams({ error })}`;
}
