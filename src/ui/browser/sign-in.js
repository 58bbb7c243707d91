import { askMe, askProviders, loginAddress } from './access-api.js';
import { Failure } from './api.js';
import { element, part } from './element.js';

/** Offers the providers; whoever is signed in already may go on. */
async function load() {
  const choices = part('choices', HTMLElement);
  const returnTo = part('sign-in', HTMLElement).dataset.return ?? '/ui';
  choices.setAttribute('aria-busy', 'true');
  try {
    const [providers, me] = await Promise.all([askProviders(), currentCaller()]);
    choices.replaceChildren(
      ...(me ? [element('p', {}, signedIn(me), ' ', element('a', { href: returnTo }, 'Go on'))] : []),
      ...offers(providers, returnTo),
    );
  } catch (error) {
    const retry = element('button', { type: 'button', click: () => void load() }, 'Try again');
    choices.replaceChildren(element('p', { role: 'alert' }, messageOf(error)), retry);
  } finally {
    choices.removeAttribute('aria-busy');
  }
}

/**
 * @param {readonly { id: string, name?: string }[]} providers
 * @param {string} returnTo
 */
function offers(providers, returnTo) {
  if (providers.length === 0) return [element('p', {}, 'Nobody signs in here with a browser.')];
  return providers.map(({ id, name }) =>
    element('a', { class: 'choice', href: loginAddress(id, returnTo) }, `Sign in with ${name ?? id}`),
  );
}

/** @param {import('./access-api.js').Me} me */
function signedIn({ user, means }) {
  if (means === 'disabled') return 'Nobody needs to sign in: authentication is disabled.';
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
