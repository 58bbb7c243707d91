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
  readonly neighbour: Neighbour | undefined;
}

/** The page that offers the providers at which people sign in. Its script asks the API for them. */
export async function signInPage({ returnTo, error, neighbour }: SignIn): Promise<string> {
  return await page({
    title: 'Sign in',
    styles: ['page.css', 'account/access.css'],
    script: 'account/sign-in.js',
    body: html`${header({ about: account, neighbour })}
<main class="entry" id="sign-in" data-return="${returnTo}">
<h1>Sign in</h1>
${error === undefined ? '' : notice(error)}
<div id="choices" aria-busy="true"><noscript>Signing in needs JavaScript.</noscript></div>
</main>`,
  });
}

function notice(error: string): Html {
  const sentence = Object.hasOwn(problems, error) ? problems[error] : anyProblem;
  return html`<p class="problem" role="alert">${sentence}</p>`;
}
