import { Failure } from '../api.js';
import { element, part } from '../element.js';
import { askMe, askProviders, loginAddress } from './access-api.js';

/** Offers the providers; whoever is signed in already may go on. */
async function load() {
  const choices = part('choices', HTMLElement);
  const returnTo = part('sign-in', HTMLElement).dataset.return ?? '/ui';
  choices.setAttribute('aria-busy', 'true');
  try {
    const [ways, me] = await Promise.all([askProviders(), currentCaller()]);
    choices.replaceChildren(
      ...(me?.means === 'session'
        ? [element('p', {}, signedIn(me), ' ', element('a', { href: returnTo }, 'Go on'))]
        : []),
      ...offers(ways, returnTo),
    );
  } catch (error) {
    const retry = element('button', { type: 'button', click: () => void load() }, 'Try again');
    choices.replaceChildren(element('p', { role: 'alert' }, messageOf(error)), retry);
  } finally {
    choices.removeAttribute('aria-busy');
  }
}

/**
 * @param {Awaited<ReturnType<typeof askProviders>>} ways
 * @param {string} returnTo
 */
function offers({ auth_enabled, providers }, returnTo) {
  if (!auth_enabled) return [element('p', {}, 'Nobody needs to sign in here: authentication is disabled.')];
  if (providers.length === 0) return [element('p', {}, 'Nobody signs in here with a browser.')];
  return providers.map((provider) =>
    element(
      'a',
      { class: 'choice', href: loginAddress(provider, returnTo) },
      `Sign in at ${new URL(provider.issuer).host}`,
    ),
  );
}

/** @param {import('./access-api.js').Me} me */
function signedIn({ user }) {
  return `You are signed in as ${user?.email ?? user?.name ?? 'somebody without a name'}.`;
}

/** undefined for nobody. */
async function currentCaller() {
  return await askMe().catch((error) => {
    if (error instanceof Failure && [401, 403].includes(error.status)) return undefined;
    throw error;
  });
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

void load();
