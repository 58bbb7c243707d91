import { html } from 'hono/html';
import { account, type Html, header, type Neighbour } from './header.ts';
import { page } from './page.ts';

/** Why a sign-in came to nothing, by the code that its callback gives the page. */
const problems: Readonly<Record<string, string>> = {
  cancelled: 'The sign-in was cancelled at the provider.',
  expired: 'That sign-in is over, or was begun in another browser.',
  refused: 'That account may not sign in here. Ask an administrator, or take another account.',
  unavailable: 'The provider does not answer now. Try again later.',
  failed: 'The provider did not confirm who you are.',
};
const anyProblem = 'The sign-in did not succeed.';

export interface SignIn {
  /** Where the browser goes afterwards: an address that is known to be safe. */
  readonly returnTo: string;
  /** As the address of the page says; it is shown only in words of our own. */
  readonly error: string | undefined;
  /** Whether anybody needs to sign in. */
  readonly isEnabled: boolean;
  /** Where people sign in by browser; null where they do not. */
  readonly provider: { readonly issuer: string; readonly loginUrl: string } | null;
  /** Who is signed in already; undefined for nobody. */
  readonly signedIn: string | undefined;
  readonly neighbour: Neighbour | undefined;
}

/** The page that leads to the provider at which people sign in. */
export async function signInPage(signIn: SignIn): Promise<string> {
  const { returnTo, error, signedIn, neighbour } = signIn;
  return await page({
    title: 'Sign in',
    styles: ['page.css', 'account/access.css'],
    body: html`${header({ about: account, neighbour })}
<main class="entry">
<h1>Sign in</h1>
${error === undefined ? '' : notice(error)}
${signedIn === undefined ? '' : html`<p>You are signed in as ${signedIn}. <a href="${returnTo}">Go on</a></p>`}
${choice(signIn)}
</main>`,
  });
}

function choice({ isEnabled, provider, returnTo }: SignIn): Html {
  if (!isEnabled) return html`<p>Nobody needs to sign in here: authentication is disabled.</p>`;
  if (!provider) return html`<p>Nobody signs in here with a browser.</p>`;
  const address = `${provider.loginUrl}&${new URLSearchParams({ return_to: returnTo })}`;
  return html`<a class="choice" href="${address}">Sign in at ${new URL(provider.issuer).host}</a>`;
}

function notice(error: string): Html {
  const sentence = Object.hasOwn(problems, error) ? problems[error] : anyProblem;
  return html`<p class="problem" role="alert">${sentence}</p>`;
}
