import { ask, isOfAnotherUser, leaveBy, leaveFor, sentenceOf } from './api.ts';
import { button, element, part } from './element.ts';

/** Tells the other tabs of this browser about a sign-out. */
const tabs = new BroadcastChannel('cairn-session');

/** Another tab may have signed out or signed in as somebody else. */
function check(): void {
  if (isOfAnotherUser()) leaveFor(location.href);
}

async function signOut(): Promise<void> {
  leaveBy('/ui/sign-in?signed_out=true');
  try {
    await ask('/v1/auth/logout', { method: 'POST' });
  } catch (error) {
    leaveBy(undefined);
    return part('sign-out').parentElement?.replaceChildren(
      element('span', { role: 'alert' }, sentenceOf(error)),
      button('Try again', () => void signOut()),
    );
  }
  tabs.postMessage('signed out');
  leaveFor(location.href);
}

part('sign-out').addEventListener('click', () => void signOut());
tabs.addEventListener('message', () => location.reload());
document.addEventListener('visibilitychange', check);
addEventListener('focus', check);
addEventListener('pageshow', () => {
  // The browser may show the page again as it was left.
  leaveBy(undefined);
  check();
});
