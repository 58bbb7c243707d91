import { html } from 'hono/html';
import { account, type Html, header, type Link } from './header.ts';
import { page } from './page.ts';

interface SignIn {
  /** The address to open afterwards. It must be safe. */
  readonly returnTo: string;
  /** Why the last sign-in failed. */
  readonly problem: string | undefined;
  readonly isEnabled: boolean;
  /** null if nobody signs in by browser. */
  readonly provider: { readonly issuer: string; readonly loginUrl: string } | null;
  /** Whether the user has just signed out. */
  readonly signedOut: boolean;
  /** The name of the user who is already signed in. */
  readonly signedIn: string | undefined;
  readonly links: readonly Link[];
}

/** The page that leads to the provider. */
export async function signInPage(signIn: SignIn): Promise<string> {
  const { returnTo, problem, signedIn, isEnabled, provider } = signIn;
  // Without a session the other pages would only lead back here.
  const isNeeded = isEnabled && provider !== null && signedIn === undefined;
  const links = isNeeded ? [] : signIn.links;
  return await page({
    title: 'Sign in',
    styles: [],
    body: html`${header({ links, ...(!isNeeded && { here: account }) })}
<main class="entry">
<h1>Sign in</h1>
${isNeeded ? html`<p>Cairn keeps what was made from what, and who says so. Sign in to see what your projects allow.</p>` : ''}
${signIn.signedOut ? html`<p role="status">You are signed out.</p>` : ''}
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
${signedIn === undefined ? '' : html`<p>You are signed in as ${signedIn}. <a href="${returnTo}">Continue</a></p>`}
${choice(signIn)}
</main>`,
  });
}

function choice({ isEnabled, provider, returnTo }: SignIn): Html {
  if (!isEnabled) return html`<p>Nobody needs to sign in here: authentication is disabled.</p>`;
  if (!provider) return html`<p>Sign-in by browser is disabled here.</p>`;
  const address = `${provider.loginUrl}&${new URLSearchParams({ return_to: returnTo })}`;
  return html`<a class="choice" href="${address}">Sign in at ${new URL(provider.issuer).host}</a>`;
}
